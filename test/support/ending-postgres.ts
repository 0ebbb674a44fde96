/** A proxy before PostgreSQL that can end new connections in the very packet that reports them ready, as a starved client sees it. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listening } from './listening';

/** ReadyForQuery of an idle session: the last message of a connection's start. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');
/** ErrorResponse of `pg_terminate_backend`. */
const TERMINATED = errorResponse({ S: 'FATAL', V: 'FATAL', C: '57P01', M: 'terminating connection due to administrator command' });

export class EndingPostgres {
  /** Whether new connections are ended as soon as they are ready. */
  isEnding = false;
  /** How many connections were ended like this. */
  ended = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(postgresUrl: string): Promise<EndingPostgres> {
    const target = new URL(postgresUrl);
    const server = createServer();
    const url = new URL(postgresUrl);
    url.host = new URL(await listening(server)).host;
    const proxy = new EndingPostgres(server, url.href);
    server.on('connection', (client) => proxy.relay(client, connect(Number(target.port || 5432), target.hostname)));
    return proxy;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private relay(client: Socket, postgres: Socket): void {
    for (const [socket, other] of [
      [client, postgres],
      [postgres, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => (this.sockets.delete(socket), other.destroy()));
    }
    client.pipe(postgres);
    let isReady = false;
    postgres.on('data', (chunk) => {
      const becomesReady = !isReady && chunk.includes(READY);
      isReady ||= becomesReady;
      if (!becomesReady || !this.isEnding) return void client.write(chunk);
      this.ended++;
      client.end(Buffer.concat([chunk, TERMINATED]));
    });
  }
}

function errorResponse(fields: Record<string, string>): Buffer {
  const body = Buffer.from(
    `${Object.entries(fields)
      .map(([code, value]) => `${code}${value}\0`)
      .join('')}\0`,
  );
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
