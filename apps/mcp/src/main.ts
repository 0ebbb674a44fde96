/**
 * `npm run mcp`: the MCP server over stdio. It speaks to the service by HTTP: APS_BASE_URL says where it is, APS_KEY is an agent key. stdout
 * belongs to the protocol, so messages go to stderr.
 */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { AgentPayments } from '#client';
import { McpTools, readApiDocument } from '#mcp';

function start(): void {
  const { APS_KEY: apiKey, APS_BASE_URL: baseURL } = process.env;
  if (!apiKey || !baseURL) throw new Error('Set APS_KEY to an agent key, and APS_BASE_URL to the URL of the service.');
  const client = new AgentPayments({ apiKey, baseURL });
  const tools = new McpTools(readApiDocument());
  serveStdio(() => tools.server({ client }), { onerror: (error) => console.error(error.message) });
}

try {
  start();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
