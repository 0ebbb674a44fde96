import { Transform, Type } from 'class-transformer';
import { IsObject, registerDecorator, ValidateIf, ValidateNested } from 'class-validator';
import { AMOUNT, MAX_LIMIT_USDC, isUsdcAmount, isUsdcLimit } from '../../money/usdc';
import { declareField, type JsonSchema } from './schemas';
import { codePoints, textDefect } from './text';

/** A defect of a value, or of something inside it: `at` is `[3]`, `.colour`, or empty for the value itself. */
export interface Defect {
  at: string;
  message: string;
}

/** The constraint that carries located defects through class-validator, whose messages are plain strings. */
export const LOCATED = 'located';

/**
 * A property decorator from a function that finds all defects of a value. All checks of the service are built on it.
 * @param schema What it accepts, for the API's description. Empty for a check that only relates the field to others.
 * @param options `isOptional`: the check itself allows that the field is absent.
 */
export function Check(
  find: (value: unknown, object: object) => Defect[],
  schema: JsonSchema,
  { isOptional = false } = {},
): PropertyDecorator {
  return (target, property) => {
    declareField(target, property, { schema, ...(isOptional && { isOptional }) });
    registerDecorator({
      name: LOCATED,
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown, context) => find(value, context?.object ?? {}).length === 0,
        defaultMessage: (context) => JSON.stringify(find(context?.value, context?.object ?? {})),
      },
    });
  };
}

/** The field may be omitted. Unlike with IsOptional, `null` is a value that is checked. */
export const IsOmittable = (): PropertyDecorator => (target, property) => {
  declareField(target, property, { isOptional: true });
  ValidateIf((_object, value: unknown) => value !== undefined)(target, property);
};

export interface TextBounds {
  min?: number;
  max: number;
  pattern?: RegExp;
  /** The sentence about the pattern: "must …". */
  patternMessage?: string;
}

/** Removes white space around a text before it is checked. */
export const Trimmed = (): PropertyDecorator => (target, property) => {
  declareField(target, property, { isTrimmed: true });
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))(target, property);
};

/** A text, bounded in Unicode code points. */
export const IsText = (bounds: TextBounds): PropertyDecorator => Check((value) => textDefects(value, bounds), textSchema(bounds));

export interface ListBounds {
  min?: number;
  max: number;
  item: TextBounds;
}

/** A bounded list of bounded texts without duplicates. */
export const IsTextList = (bounds: ListBounds): PropertyDecorator =>
  Check((value) => textListDefects(value, bounds), textListSchema(bounds));

/** One of the given words. */
export const IsOneOf = (words: readonly string[]): PropertyDecorator =>
  Check((value) => (typeof value === 'string' && words.includes(value) ? [] : [itself(`must be one of: ${words.join(', ')}`)]), {
    type: 'string',
    enum: words,
  });

/** A filter by status. `declined` is another word for `rejected`, as people say it. */
export const IsStatusFilter =
  (words: readonly string[]): PropertyDecorator =>
  (target, property) => {
    Transform(({ value }: { value: unknown }) => (value === 'declined' ? 'rejected' : value))(target, property);
    IsOneOf([...words, 'declined'])(target, property);
  };

/** A whole number between bounds, both included. */
export const IsWholeNumber = ({ min, max }: { min: number; max: number }): PropertyDecorator =>
  Check(
    (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
        ? []
        : [itself(`must be a whole number from ${min} to ${max}`)],
    { type: 'integer', minimum: min, maximum: max },
  );

/** True, false or null. */
export const IsFlag = (): PropertyDecorator =>
  Check((value) => (value === null || typeof value === 'boolean' ? [] : [itself('must be true, false or null')]), {
    type: ['boolean', 'null'],
  });

/** An object with the checked fields of a class. */
export const IsNested =
  (type: () => new () => object): PropertyDecorator =>
  (target, property) => {
    declareField(target, property, { nested: type });
    IsObject({ message: 'must be an object' })(target, property);
    ValidateNested()(target, property);
    Type(type)(target, property);
  };

/** An amount of USDC as a decimal text, at least 0.000001. */
export const IsUsdcAmount = (): PropertyDecorator =>
  Check(
    (value) =>
      isUsdcAmount(value)
        ? []
        : [itself('must be a decimal string such as "1.50": at least "0.000001", with at most 12 digits before and 6 after the point')],
    { type: 'string', pattern: AMOUNT.source },
  );

/** A limit or threshold in USDC as a JSON number. Put `@IsNullable()` before it if null is allowed. */
export const IsUsdcLimit = (): PropertyDecorator =>
  Check((value) => (isUsdcLimit(value) ? [] : [itself(`must be a number from 0 to ${MAX_LIMIT_USDC} with at most six decimals`)]), {
    type: 'number',
    minimum: 0,
    maximum: MAX_LIMIT_USDC,
  });

/** The field may be omitted or null. */
export const IsNullable = (): PropertyDecorator => (target, property) => {
  declareField(target, property, { isOptional: true, isNullable: true });
  ValidateIf((_object, value: unknown) => value !== undefined && value !== null)(target, property);
};

/** An existing moment in ISO 8601 with its time zone, such as 2030-01-31T12:00:00Z. */
export const IsMoment = (): PropertyDecorator =>
  Check(
    (value) =>
      typeof value === 'string' && parseMoment(value) ? [] : [itself('must be an ISO 8601 time with a zone, such as 2030-01-31T12:00:00Z')],
    { type: 'string', format: 'date-time' },
  );

/** A moment in whole seconds, as the chain's clock counts. */
export const IsWholeSecond = (): PropertyDecorator =>
  Check(
    (value) => {
      const moment = typeof value === 'string' ? parseMoment(value) : undefined;
      const isWhole = moment !== undefined && moment.getTime() >= 0 && moment.getTime() % 1000 === 0;
      return isWhole ? [] : [itself('must be an ISO 8601 time in whole seconds with a zone, such as 2030-01-31T12:00:00Z')];
    },
    { type: 'string', format: 'date-time' },
  );

const MOMENT = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** The moment that a text names, or undefined. Date alone would take 31 February for 3 March. */
export function parseMoment(text: string): Date | undefined {
  const [, year, month, day] = MOMENT.exec(text) ?? [];
  const moment = new Date(text);
  if (year === undefined || month === undefined || day === undefined || Number.isNaN(moment.getTime())) return undefined;
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) <= daysInMonth ? moment : undefined;
}

/** The most keys of metadata. */
export const MAX_METADATA_KEYS = 50;

/** Key-value pairs that the service stores and does not interpret. */
export const IsMetadata = ({ keys = MAX_METADATA_KEYS, keyLength = 40, valueLength = 500 } = {}): PropertyDecorator =>
  Check((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [itself('must be an object')];
    const entries = Object.entries(value);
    if (entries.length > keys) return [itself(`must have at most ${keys} keys`)];
    return entries.flatMap(([key, entry]): Defect[] => {
      if (codePoints(key) > keyLength) return [{ at: `.${key}`, message: `must have a name of at most ${keyLength} characters` }];
      return typeof entry === 'string' && codePoints(entry) > valueLength
        ? [{ at: `.${key}`, message: `must have at most ${valueLength} characters` }]
        : [];
    });
  }, metadataSchema({ keys, keyLength, valueLength }));

function metadataSchema(bounds: { keys: number; keyLength: number; valueLength: number }): JsonSchema {
  return {
    type: 'object',
    maxProperties: bounds.keys,
    propertyNames: { maxLength: bounds.keyLength },
    additionalProperties: { maxLength: bounds.valueLength },
  };
}

/** A defect of the value itself. */
export function itself(message: string): Defect {
  return { at: '', message };
}

function textDefects(value: unknown, { min = 0, max, pattern, patternMessage }: TextBounds): Defect[] {
  if (typeof value !== 'string') return [itself('must be a string')];
  const defect = textDefect(value);
  if (defect) return [itself(defect)];
  const length = codePoints(value);
  if (length < min || length > max)
    return [itself(min > 0 ? `must have ${min} to ${max} characters` : `must have at most ${max} characters`)];
  return pattern && !pattern.test(value) ? [itself(patternMessage ?? 'must have another form')] : [];
}

function textSchema({ min = 0, max, pattern }: TextBounds): JsonSchema {
  return { type: 'string', ...(min > 0 && { minLength: min }), maxLength: max, ...(pattern && { pattern: pattern.source }) };
}

/** The schema of a list of texts. */
export function textListSchema({ min = 0, max, item }: ListBounds): JsonSchema {
  return { type: 'array', ...(min > 0 && { minItems: min }), maxItems: max, uniqueItems: true, items: textSchema(item) };
}

/** The defects of a list of texts. */
export function textListDefects(value: unknown, { min = 0, max, item }: ListBounds): Defect[] {
  if (!Array.isArray(value)) return [itself('must be a list')];
  if (value.length < min || value.length > max) return [itself(`must have ${min} to ${max} entries`)];
  const seen = new Set<unknown>();
  return value.flatMap((entry: unknown, index) => {
    const defects = seen.has(entry) ? [itself('is listed twice')] : textDefects(entry, item);
    seen.add(entry);
    return defects.map((defect) => ({ at: `[${index}]`, message: defect.message }));
  });
}
