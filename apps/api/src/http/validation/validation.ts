import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { LOCATED, type Defect } from './checks';
import { InvalidRequest, type Offender } from '../domain.errors';
import { nearest } from '#spelling';
import { fieldsOf } from './schemas';

/** More offenders than a person makes by mistake get no suggestions, which take time. */
const MAX_HINTED = 10;
/** The message for a field that the body or the query does not have. */
export const UNKNOWN_FIELD = 'is not a known field';

/** Validation of bodies and queries: rejects unknown fields, converts no types, and reports every offender. */
export function validationPipe(): ValidationPipe {
  return new ValidationPipe({
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    // For the names of the fields that there are.
    validationError: { target: true },
    transform: true,
    transformOptions: { enableImplicitConversion: false },
    exceptionFactory: (errors) => new InvalidRequest(errors.flatMap((error) => offendersOf(error, '', errors.length <= MAX_HINTED))),
  });
}

function offendersOf(error: ValidationError, parent: string, isHinted: boolean): Offender[] {
  const field = pathOf(error.property, parent);
  const own = defectsOf(error, field, isHinted);
  const shown = error.value === undefined ? required(own, field) : own;
  return [...shown, ...(error.children ?? []).flatMap((child) => offendersOf(child, field, isHinted))];
}

/** An absent field is required, whatever its checks say. A check may say more about it. */
function required(own: Offender[], field: string): Offender[] {
  if (own.length === 0) return [];
  return [own.find(({ message }) => message.startsWith('is required')) ?? { field, message: 'is required' }];
}

function defectsOf(error: ValidationError, field: string, isHinted: boolean): Offender[] {
  return Object.entries(error.constraints ?? {}).flatMap(([name, message]) => {
    if (name === LOCATED) return located(message).map((defect) => ({ field: field + defect.at, message: defect.message }));
    // The field's own check reports that it must be an object.
    if (name === 'nestedValidation') return [];
    if (name === 'whitelistValidation') return [{ field, message: isHinted ? unknownField(error) : UNKNOWN_FIELD }];
    // class-validator begins its messages with the property's name, which `field` contains.
    return [{ field, message: message.startsWith(`${error.property} `) ? message.slice(error.property.length + 1) : message }];
  });
}

function unknownField({ property, target }: ValidationError): string {
  const known = target ? [...fieldsOf({ prototype: target }).keys()] : [];
  const meant = nearest(snakeCase(property), known);
  return meant === undefined ? UNKNOWN_FIELD : `${UNKNOWN_FIELD} (did you mean ${meant}?)`;
}

/** `maxDailySpend` as `max_daily_spend`. */
function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

function pathOf(property: string | undefined, parent: string): string {
  if (property === undefined) return parent;
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
}

/** The defects that `Check` has written into a message. */
function located(message: string): Defect[] {
  return JSON.parse(message) as Defect[];
}
