/** The stock MCP client, over both transports of the service. */
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Body } from './api';

const APS = join(__dirname, '..', '..', 'dist', 'apps', 'cli', 'src', 'bin', 'aps.js');

export const TRANSPORTS = ['stdio', 'http'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

export interface Connected {
  client: Client;
  /** Calls a tool. Returns its structured content, and whether the tool failed. */
  call(name: string, args?: Body): Promise<{ isError: boolean; content: Body }>;
  close(): Promise<void>;
}

/** Connects with a key. `headers` are sent beside it, over HTTP alone; `aps` is the command line that serves stdio. */
export async function connectMcp(
  transport: TransportName,
  { baseUrl, key, headers = {}, aps = APS }: { baseUrl: string; key: string; headers?: Record<string, string>; aps?: string },
): Promise<Connected> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    transport === 'http'
      ? new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), {
          requestInit: { headers: { ...headers, Authorization: `Bearer ${key}` } },
        })
      : new StdioClientTransport({
          command: process.execPath,
          args: [aps, 'mcp'],
          env: { PATH: process.env.PATH ?? '', APS_BASE_URL: baseUrl, APS_KEY: key },
        }),
  );
  return {
    client,
    async call(name, args = {}) {
      const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: args }, { timeout: 120_000 });
      const [first] = content;
      const text = first?.type === 'text' ? first.text : '';
      return { isError, content: structuredContent ?? { text } };
    },
    close: () => client.close(),
  };
}
