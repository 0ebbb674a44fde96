import type { Server, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';

/** Whether this process is leaving its load balancer: then it is not ready, and each answer closes its connection. */
@Injectable()
export class Draining {
  private readonly open = new Set<ServerResponse>();
  private hasBegun = false;

  get isOn(): boolean {
    return this.hasBegun;
  }

  /** Follows the server's answers, those that are under way when draining begins included. */
  watch(server: Server): void {
    server.prependListener('request', (_request, response) => {
      if (this.hasBegun) close(response);
      this.open.add(response);
      response.once('close', () => this.open.delete(response));
    });
  }

  begin(): void {
    this.hasBegun = true;
    for (const response of this.open) close(response);
  }
}

/** A client that reads this sends its next request on another connection, and does not meet a connection that is being closed. */
function close(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
