/** Links from errors to their descriptions in the documentation. */
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';

/** An error, or a decline that a dry run shows. */
interface Described {
  error: string;
  rejection_reason?: unknown;
  doc_url?: string;
}

/** The addresses of the descriptions of errors. */
export class DocLinks {
  /** `base` returns the address of the service, as clients reach it. */
  constructor(private readonly base: () => string) {}

  /** The description of a decline's reason, else of an error's code. */
  of({ error, rejection_reason: reason }: Described): string {
    return `${this.base()}/docs/errors#${typeof reason === 'string' ? reason : error}`;
  }
}

/** Adds the links to the declines in the answers to dry runs. */
export class DeclineLinksInterceptor implements NestInterceptor {
  constructor(private readonly links: DocLinks) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((answer: unknown) => (isDryRun(answer) ? this.linked(answer) : answer)));
  }

  private linked(answer: DryRun): DryRun {
    const { decline, quotes } = answer;
    return {
      ...answer,
      ...(decline && { decline: { ...decline, doc_url: this.links.of(decline) } }),
      ...(quotes && { quotes: quotes.map((quote) => this.linked(quote)) }),
    };
  }
}

interface DryRun {
  decline?: Described;
  quotes?: DryRun[];
}

function isDryRun(answer: unknown): answer is DryRun {
  return typeof answer === 'object' && answer !== null && 'dry_run' in answer;
}
