import { EVENT_DESCRIPTIONS, FLEET_EVENTS, OPERATOR_EVENTS } from '../../api/src/events/event-types';
import type { JsonSchema } from '../../api/src/http/validation/schemas';
import { DELIVERY_HEADERS } from './headers';
import { json, type Member, pascal, refTo } from './parts';
import type { Source } from './source';

/** The events, as the API shows them and as the bodies of deliveries. */
export class EventSchemas {
  /** Schemas of the events. That of `Event` is more exact than its TypeScript type. */
  readonly schemas: Record<string, JsonSchema> = {};

  constructor(private readonly source: Source) {}

  /** The operations that receivers of deliveries answer, by the type of the event. Fills `schemas`. */
  webhooks(): Record<string, Member> {
    const types = this.source.memberTypes('EventData');
    const all = { ...types, 'webhook.test': '' };
    const envelope = this.source.interfaceSchema('EventView');
    const names = Object.entries(all).map(([type, data]) => this.event(type, data, envelope));
    const mapping = Object.fromEntries(names.map(({ type, name }) => [type, refTo(name)]));
    this.schemas.Event = {
      description: 'An event, as the API shows it and as the body of a delivery.',
      oneOf: names.map(({ name }) => ({ $ref: refTo(name) })),
      discriminator: { propertyName: 'type', mapping },
    };
    const parameters = Object.entries(DELIVERY_HEADERS).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      required: name !== 'X-Service-Signature-Previous',
      schema: { type: 'string' },
    }));
    return Object.fromEntries(
      names.map(({ type, name, summary }) => [
        type,
        {
          post: {
            operationId: `webhook.${type}`,
            tags: ['events'],
            summary,
            description: `${summary}. Verify the signature before you read the body. Deliveries may repeat: process each event id once.`,
            security: [],
            parameters,
            requestBody: { required: true, content: json({ $ref: refTo(name) }) },
            responses: { '2XX': { description: 'The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure.' } },
          },
        },
      ]),
    );
  }

  private event(type: string, dataType: string, envelope: JsonSchema): { type: string; name: string; summary: string } {
    const name = `${pascal(type)}Event`;
    const isTest = dataType === '';
    const data: JsonSchema = isTest
      ? { type: 'object', properties: { webhook_id: { type: 'string' } }, required: ['webhook_id'] }
      : this.source.interfaceSchema(dataType);
    const described: Record<string, string> = EVENT_DESCRIPTIONS;
    const summary = described[type]?.split('. ')[0]?.replace(/\.$/, '') ?? '`POST /v1/webhooks/:id/test` was called';
    // Only webhook.test has no sequence, and events of operators and fleets have no account.
    const account: Record<string, JsonSchema> = [...OPERATOR_EVENTS, ...FLEET_EVENTS].some((one) => one === type)
      ? {}
      : { account_id: { type: 'string' } };
    const owner: Record<string, JsonSchema> = isTest ? {} : { ...account, sequence: { type: 'integer', minimum: 1 } };
    const members: Record<string, JsonSchema> = { type: { type: 'string', enum: [type] }, data, ...owner };
    const properties = Object.fromEntries(
      Object.entries(envelope.properties ?? {}).map(([member, schema]) => [member, { ...keep(schema), ...(members[member] ?? schema) }]),
    );
    this.schemas[name] = { ...envelope, description: `${summary}.`, properties };
    return { type, name, summary };
  }
}

/** The description of a member whose schema is replaced. */
function keep({ description }: JsonSchema): JsonSchema {
  return description === undefined ? {} : { description };
}
