import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database';
import { createDataSource } from './data-source';
import { requireSessions } from './sessions';

let database: TestDatabase;
beforeAll(async () => void (database = await createTestDatabase()));
afterAll(() => database.drop());

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number): Buffer => Buffer.from([value >> 24, value >> 16, value >> 8, value]);
const READY = message('Z', Buffer.from('I'));

/** One row of text columns. */
function answer(names: string[], row: unknown[]): Buffer {
  const columns = names.map((name) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(23), int16(4), int32(-1), int16(0)]),
  );
  const values = row.map((value) => Buffer.from(String(value))).map((bytes) => Buffer.concat([int32(bytes.length), bytes]));
  return Buffer.concat([
    message('T', Buffer.concat([int16(names.length), ...columns])),
    message('D', Buffer.concat([int16(row.length), ...values])),
  ]);
}

/** A pooler in transaction mode with one session of a real PostgreSQL: all its clients' statements run in that. */
async function startPooler(url: string): Promise<{ url: string; close(): Promise<void> }> {
  const session = new Client({ connectionString: url });
  await session.connect();
  const serve = (socket: Socket): void => {
    let isGreeted = false;
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        if (!isGreeted) {
          isGreeted = true;
          socket.write(Buffer.concat([message('R', int32(0)), READY]));
        } else if (chunk[0] === 'Q'.charCodeAt(0)) {
          const text = chunk.subarray(5, chunk.length - 1).toString();
          void session.query<unknown[]>({ text, rowMode: 'array' }).then(({ fields, rows: [row] }) => {
            const data = row
              ? answer(
                  fields.map(({ name }) => name),
                  row,
                )
              : Buffer.alloc(0);
            socket.write(Buffer.concat([data, message('C', Buffer.from('OK\0')), READY]));
          });
        } else socket.end();
      });
  };
  const server: Server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `postgresql://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/any`,
    close: async () => {
      await session.end();
      server.close();
    },
  };
}

/**
 * A proxy that treats the opening message as PgBouncer 1.18 does without `ignore_startup_parameters`: any setting but these is refused. In
 * session mode the rest of a connection is one connection to PostgreSQL.
 */
async function startSessionPooler(url: string): Promise<{ url: string; close(): void }> {
  const known = ['user', 'database', 'application_name', 'client_encoding', 'datestyle', 'timezone', 'standard_conforming_strings'];
  const target = new URL(url);
  const server = createServer((socket) => {
    socket.once('data', (opening: Buffer) => {
      const names = opening
        .subarray(8)
        .toString()
        .split('\0')
        .filter((_text, index) => index % 2 === 0);
      const refused = names.find((name) => name !== '' && !known.includes(name.toLowerCase()));
      if (refused !== undefined) {
        const text = `SFATAL\0C08P01\0Munsupported startup parameter: ${refused}\0\0`;
        return void socket.end(message('E', Buffer.from(text)));
      }
      const upstream = connect(Number(target.port), target.hostname, () => upstream.write(opening));
      for (const one of [socket, upstream]) one.on('error', () => undefined);
      socket.pipe(upstream).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = String((server.address() as AddressInfo).port);
  return { url: Object.assign(new URL(url), { port }).href, close: () => void server.close() };
}

test('a start behind PgBouncer in session mode passes, and each session has the time-outs', async () => {
  const pooler = await startSessionPooler(database.url);
  await expect(requireSessions(pooler.url)).resolves.toBeUndefined();
  const pool = await createDataSource({ url: pooler.url, applicationName: 'behind a pooler' }).initialize();
  const [row] = await pool.query(
    `SELECT current_setting('statement_timeout') AS one, current_setting('idle_in_transaction_session_timeout') AS other`,
  );
  expect(row).toEqual({ one: '15s', other: '30s' });
  await pool.destroy();
  pooler.close();
});

test('a start on PostgreSQL itself passes', () => expect(requireSessions(database.url)).resolves.toBeUndefined());

test('a start behind a pooler in transaction mode is refused with a sentence', async () => {
  const pooler = await startPooler(database.url);
  await expect(requireSessions(pooler.url)).rejects.toThrow('DATABASE_URL leads to a connection pooler in transaction mode.');
  await pooler.close();
});
