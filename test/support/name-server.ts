import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

const HEADER_BYTES = 12;
const TYPE_A = 1;
const TYPE_AAAA = 28;

export interface NameServer {
  /** `address:port`. */
  address: string;
  /** The record types that were requested so far. */
  asked: ('A' | 'AAAA')[];
  close(): void;
}

/** A DNS server on this machine, which may answer the same question differently each time. */
export async function startNameServer(answer: (type: 'A' | 'AAAA', count: number) => string[]): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: NameServer['asked'] = [];
  socket.on('message', (question, from) => {
    const end = question.indexOf(0, HEADER_BYTES) + 5;
    const number = question.readUInt16BE(end - 4);
    const type = number === TYPE_A ? 'A' : number === TYPE_AAAA ? 'AAAA' : undefined;
    const addresses = type === undefined ? [] : answer(type, asked.push(type));
    const header = Buffer.from(question.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.fill(0, 8);
    const records = addresses.map((address) => {
      const data = type === 'A' ? Buffer.from(address.split('.').map(Number)) : Buffer.from(address.replaceAll(':', ''), 'hex');
      // A pointer to the name in the question, the class IN, a TTL of zero.
      return Buffer.concat([Buffer.from([0xc0, HEADER_BYTES, 0, number, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
    });
    socket.send(Buffer.concat([header, question.subarray(HEADER_BYTES, end), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, asked, close: () => void socket.close() };
}
