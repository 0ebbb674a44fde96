/** The stock conformance suite of the Model Context Protocol against /mcp. It runs on Node 22, which is installed beside it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sharedService } from '../support/service';
import { anAccount, anAgentKey } from '../support/world';
import { listening } from '../support/listening';

jest.setTimeout(600_000);

const PACKAGES = { node: '22.23.3', '@modelcontextprotocol/conformance': '0.1.16' };
const execute = promisify(execFile);

let folder: string;
let proxy: Server | undefined;
let port: number;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aps-mcp-conformance-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES, allowScripts: { node: true } }));
  await execute('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder });
  proxy = await authorizingProxy(await anAgentKey(await anAccount()));
  ({ port } = proxy.address() as AddressInfo);
});
afterAll(() => {
  proxy?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Adds a key to each request: the suite sends none. */
async function authorizingProxy(key: string): Promise<Server> {
  const { hostname, port } = new URL(sharedService().baseUrl);
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const onward = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await listening(server);
  return server;
}

// The others ask for tools, resources and prompts that only the suite's own example server has.
test.each(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])('/mcp passes %s', async (scenario) => {
  const [node, suite] = [join(folder, 'node_modules', '.bin', 'node'), join(folder, 'node_modules', '.bin', 'conformance')];
  const args = [suite, 'server', '--url', `http://127.0.0.1:${port}/mcp`, '--scenario', scenario];
  const { stdout } = await execute(node, args, { cwd: folder, timeout: 120_000 });
  expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed/);
});
