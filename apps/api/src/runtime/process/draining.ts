import type { Server, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';

/** Whether this process is being taken out of its load balancer: then it is not ready, and each response closes its connection. */
@Injectable()
export class Draining {
  private readonly open = new Set<ServerResponse>();
  private hasBegun = false;

  get isOn(): boolean {
    return this.hasBegun;
  }

  /** Tracks the server's responses, so that those under way when draining begins close their connections too. */
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

/** A client that reads this header sends its next request on another connection, instead of one that is about to be closed. */
function close(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}
