import { Controller, Logger, Post, Req, Res, UseGuards, VERSION_NEUTRAL, type OnModuleDestroy } from '@nestjs/common';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type AuthInfo, type McpServer } from '@modelcontextprotocol/server';
import type { Request, Response } from 'express';
import { AgentPayments } from '#client';
import { McpTools, readApiDocument } from '#mcp';
import { AgentOnly } from '../http/access';
import { Caller } from '../http/caller';
import { Unauthorized } from '../http/domain.errors';
import { requestIdOf } from '../http/requests/request-id';
import { RebindingGuard } from './rebinding.guard';

/** How long one call to this service may take, in milliseconds: longer than a request waits for a settlement. */
const CALL_TIMEOUT_MS = 150_000;

/**
 * MCP over streamable HTTP, without sessions: each POST is complete in itself. The tools call this service by HTTP with the key of the
 * request, so that they can do exactly what the key can (docs/adr/0012).
 */
@Controller({ path: 'mcp', version: VERSION_NEUTRAL })
@UseGuards(RebindingGuard)
export class McpController implements OnModuleDestroy {
  private readonly logger = new Logger('Mcp');
  private readonly tools = new McpTools(readApiDocument());
  private readonly handler = createMcpHandler(({ authInfo }) => this.serverOf(authInfo), {
    // The tools never change: there is nothing to subscribe to, and no stream that would hold up a shutdown.
    maxSubscriptions: 0,
    onerror: (error) => this.logger.debug(error.message),
  });
  private readonly handle = toNodeHandler(this.handler, { onerror: (error) => this.logger.error(error.stack) });

  /** @throws Unauthorized for a request without a key, such as one with a cookie of the dashboard. */
  @Post()
  @AgentOnly()
  async post(@Req() request: Request, @Res() response: Response, @Caller() caller: Caller): Promise<void> {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) throw new Unauthorized();
    const auth: AuthInfo = {
      token,
      clientId: caller.keyId,
      scopes: [],
      extra: { baseUrl: ownUrl(request), requestId: requestIdOf(response) },
    };
    await this.handle(Object.assign(request, { auth }), response, request.body);
  }

  async onModuleDestroy(): Promise<void> {
    await this.handler.close();
  }

  private serverOf(auth: AuthInfo | undefined): McpServer {
    if (!auth) throw new Unauthorized();
    const requestId = String(auth.extra?.requestId);
    const client = new AgentPayments({
      apiKey: auth.token,
      baseURL: String(auth.extra?.baseUrl),
      timeout: CALL_TIMEOUT_MS,
      fetch: (input, init) => {
        const call = new globalThis.Request(input, init);
        call.headers.set('X-Request-Id', requestId);
        return fetch(call);
      },
    });
    return this.tools.server({ client });
  }
}

/** The address of this process at which the request arrived. */
function ownUrl({ socket }: Request): string {
  const { localAddress = '127.0.0.1', localPort } = socket;
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
