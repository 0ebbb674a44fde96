import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { McpTools, readApiDocument } from '#mcp';
import type { Register } from '../context';

/** `mcp`: a model's tools over stdin and stdout, until stdin ends. Messages go to stderr. */
export const mcp: Register = (program, context) => {
  program
    .command('mcp')
    .description('the MCP server over stdio: the tools of an agent key for a model')
    .action(async () => {
      const client = context.client();
      const tools = new McpTools(readApiDocument());
      serveStdio(() => tools.server({ client }), { onerror: (error) => console.error(error.message) });
      await new Promise<void>((resolve) => process.stdin.once('close', resolve));
    });
};
