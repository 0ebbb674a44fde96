import type { ErrorCode } from '../../api/src/http/answers';
import type { JsonSchema } from '../../api/src/http/validation/schemas';
import { ERRORS } from './errors';
import { headerRefs, json, type Member, pascal, refTo } from './parts';
import type { Source } from './source';

/** The responses that are errors: one for each set of codes with one status. */
export class ErrorResponses {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly responses: Record<string, Member> = {};

  constructor(private readonly source: Source) {}

  /** The responses of an operation by status; each becomes a component. */
  of(codes: ErrorCode[]): [string, Member][] {
    const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort();
    return statuses.map((status) => {
      const ofStatus = Object.keys(ERRORS).filter((code): code is ErrorCode =>
        codes.some((each) => each === code && ERRORS[each].status === status),
      );
      const name = ofStatus.map(pascal).join('Or');
      this.responses[name] ??= this.response(ofStatus);
      return [String(status), { $ref: `#/components/responses/${name}` }];
    });
  }

  private response(codes: ErrorCode[]): Member {
    const schemas = codes.map((code) => ({ $ref: this.schema(code) }));
    const [only = {}] = schemas;
    const status = codes[0] && ERRORS[codes[0]].status;
    const headers = headerRefs([
      'X-Request-Id',
      ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
      ...(status === 402 || status === 409 ? (['Idempotent-Replayed'] as const) : []),
      ...([402, 409, 429, 503].includes(status ?? 0) ? (['Retry-After'] as const) : []),
      ...(status === 429 ? (['RateLimit', 'RateLimit-Policy'] as const) : []),
    ]);
    const examples = codes.map((code) => [code, { summary: ERRORS[code].when, value: errorExample(code) }]);
    return {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join('\n\n'),
      headers,
      content: json(schemas.length === 1 ? only : { oneOf: schemas, discriminator: { propertyName: 'error', mapping: mappingOf(codes) } }, {
        examples: Object.fromEntries(examples),
      }),
    };
  }

  private schema(code: ErrorCode): string {
    const { body, when } = ERRORS[code];
    const schema = this.source.interfaceSchema(body);
    this.schemas[errorName(code)] ??= {
      ...schema,
      description: when,
      properties: { ...schema.properties, error: { type: 'string', enum: [code] } },
    };
    return refTo(errorName(code));
  }
}

function docUrl(code: ErrorCode, details: object): string {
  return `https://pay.example.com/docs/errors#${'rejection_reason' in details ? String(details.rejection_reason) : code}`;
}

function errorExample(code: ErrorCode): Member {
  const { message, ...details } = ERRORS[code].example;
  return { error: code, message, request_id: 'b3f6f6b0-3c6f-4d6e-9f7c-2f3a1f0c8a51', ...details, doc_url: docUrl(code, details) };
}

function mappingOf(codes: ErrorCode[]): Record<string, string> {
  return Object.fromEntries(codes.map((code) => [code, refTo(errorName(code))]));
}

function errorName(code: string): string {
  return code.endsWith('error') ? pascal(code) : `${pascal(code)}Error`;
}
