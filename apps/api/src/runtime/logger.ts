import { ConsoleLogger, type LogLevel } from '@nestjs/common';

const LEVELS: LogLevel[] = ['verbose', 'debug', 'log', 'warn', 'error', 'fatal'];
/** The contexts of Nest's startup log: dozens of lines that help in no diagnosis. */
const OMITTED_CONTEXTS = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Logs to stderr. Stdout is for the person or script that starts the service: its address, its key, and that it is ready. */
export class ServiceLogger extends ConsoleLogger {
  constructor(level: LogLevel) {
    super({ logLevels: LEVELS.slice(LEVELS.indexOf(level)), colors: false });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (!OMITTED_CONTEXTS.has(String(rest.at(-1)))) super.log(message, ...rest);
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
