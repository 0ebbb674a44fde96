import { ConsoleLogger, type LogLevel } from '@nestjs/common';

const LEVELS: LogLevel[] = ['verbose', 'debug', 'log', 'warn', 'error', 'fatal'];
/** Nest's own account of its start: dozens of lines that nobody reads. */
const CHATTY = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Logs to stderr, because what stdout says is for whoever started the service: its address, its key, and that it is ready. */
export class ServiceLogger extends ConsoleLogger {
  constructor(level: LogLevel) {
    super({ logLevels: LEVELS.slice(LEVELS.indexOf(level)), colors: false });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (!CHATTY.has(String(rest.at(-1)))) super.log(message, ...rest);
  }

  protected override printMessages(
    messages: unknown[],
    context?: string,
    level?: LogLevel,
    _stream?: 'stdout' | 'stderr',
    errorStack?: unknown,
  ): void {
    super.printMessages(messages, context, level, 'stderr', errorStack);
  }
}
