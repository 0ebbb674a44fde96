/** The MCP server of the service: its tools, for every transport. */
export { ApiDocument, readApiDocument } from './api-document';
export { INSTRUCTIONS } from './instructions';
export { McpTools, type McpServerOptions } from './server';
