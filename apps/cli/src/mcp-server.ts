/** The MCP server over stdio. Loaded by `aps mcp` alone: every other command starts in half the time without it. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { AgentPayments } from '#client';
import { McpTools, readApiDocument } from '#mcp';

/** Serves the tools of the client's key until stdin ends. Messages go to stderr. */
export async function serveMcp(client: AgentPayments): Promise<void> {
  const tools = new McpTools(readApiDocument());
  serveStdio(() => tools.server({ client }), { onerror: (error) => console.error(error.message) });
  await new Promise<void>((resolve) => process.stdin.once('close', resolve));
}
