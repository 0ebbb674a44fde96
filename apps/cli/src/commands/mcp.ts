import type { Register } from '../context';

/** `mcp`: a model's tools over stdin and stdout, until stdin ends. */
export const mcp: Register = (program, context) => {
  program
    .command('mcp')
    .description('the MCP server over stdio: the tools of an agent key for a model')
    .action(async () => {
      const client = context.client();
      const { serveMcp } = await import('../mcp-server.js');
      await serveMcp(client);
    });
};
