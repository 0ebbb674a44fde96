import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { logIds } from './log-context';

const LEVELS: LogLevel[] = ['verbose', 'debug', 'log', 'warn', 'error', 'fatal'];
/** The names of levels that log collectors know, where Nest has names of its own. */
const LEVEL_NAMES: Partial<Record<LogLevel, string>> = { log: 'info', verbose: 'trace' };
/** The contexts of Nest's startup log: dozens of lines that help in no diagnosis. */
const OMITTED_CONTEXTS = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);
/** Secrets that an error of a library may quote: keys of the API, webhook secrets, authorization headers, passwords in URLs. */
const SECRETS: [RegExp, string][] = [
  [/aps_(op|ag)_[1-9A-HJ-NP-Za-km-z]{16,}/g, 'aps_$1_[redacted]'],
  [/whsec_[A-Za-z0-9+/_-]{16,}=*/g, 'whsec_[redacted]'],
  [/\b(Bearer|Basic|Payment)\s+[A-Za-z0-9._~+/=-]{16,}/gi, '$1 [redacted]'],
  [/(\w+:\/\/[^\s:/@]*):[^\s:/@]+@/g, '$1:[redacted]@'],
];

/** The form of the log: one JSON object a line for collectors, or text for a person. */
export type LogFormat = 'json' | 'text';

/**
 * Logs to stderr. Stdout is for the person or script that starts the service: its address, its key, and that it is ready. A line in JSON has
 * `time`, `level`, `context`, `message`, `stack` of an error, and the ids of the request or job that it belongs to.
 */
export class ServiceLogger extends ConsoleLogger {
  constructor(level: LogLevel, format: LogFormat = process.stderr.isTTY ? 'text' : 'json') {
    super({ logLevels: LEVELS.slice(LEVELS.indexOf(level)), colors: false, json: format === 'json', compact: true });
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
    super.printMessages(messages.map(withoutSecrets), context, level, 'stderr', withoutSecrets(errorStack));
  }

  protected override printStackTrace(stack: string): void {
    super.printStackTrace(String(withoutSecrets(stack)));
  }

  protected override getJsonLogObject(
    message: unknown,
    { logLevel, context, errorStack }: Parameters<ConsoleLogger['getJsonLogObject']>[1],
  ): ReturnType<ConsoleLogger['getJsonLogObject']> {
    const line = { time: new Date().toISOString(), level: LEVEL_NAMES[logLevel] ?? logLevel, context, message, stack: errorStack };
    return { ...line, ...logIds() } as unknown as ReturnType<ConsoleLogger['getJsonLogObject']>;
  }
}

/** A text of the log with each secret in it replaced. */
function withoutSecrets(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  return SECRETS.reduce<string>((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);
}
