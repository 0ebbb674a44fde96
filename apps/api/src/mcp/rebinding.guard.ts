import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import type { Request } from 'express';
import { Forbidden } from '../http/domain.errors';
import { Config } from '../runtime/config';

const LOCAL = /^(localhost|127(\.\d+){3}|::1)$/;

/** Refuses requests of web pages that reach this service under another name (DNS rebinding), as the MCP specification asks. */
@Injectable()
export class RebindingGuard implements CanActivate {
  private readonly allowed: string[];
  private readonly checksHost: boolean;

  constructor({ HOST, MCP_ALLOWED_HOSTS }: Config) {
    this.allowed = [...localhostAllowedHostnames(), ...MCP_ALLOWED_HOSTS.map((name) => name.toLowerCase())];
    // A service that others reach has a name which only its settings tell.
    this.checksHost = MCP_ALLOWED_HOSTS.length > 0 || LOCAL.test(HOST);
  }

  /** @throws Forbidden */
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<Request>();
    if (this.checksHost && !validateHostHeader(headers.host, this.allowed).ok) {
      throw new Forbidden('The Host of the request is not allowed: MCP_ALLOWED_HOSTS lists the allowed names.');
    }
    if (!validateOriginHeader(headers.origin, this.allowed).ok) {
      throw new Forbidden('The Origin of the request is not allowed: MCP_ALLOWED_HOSTS lists the allowed names.');
    }
    return true;
  }
}
