import { Module } from '@nestjs/common';
import { McpController } from './mcp.controller';

/** The MCP server over streamable HTTP. */
@Module({ controllers: [McpController] })
export class McpModule {}
