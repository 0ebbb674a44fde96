import type { INestApplicationContext } from '@nestjs/common';
import { AuthenticationService, OperatorsService } from '../keys';

/** A valid operator key: the stored one, or a new one if it is missing or revoked. A new one must be shown. */
export async function firstOperatorKey(app: INestApplicationContext, stored: string | undefined): Promise<{ key: string; isNew: boolean }> {
  const operators = app.get(OperatorsService);
  if (stored !== undefined && (await isValid(app, stored))) return { key: stored, isNew: false };
  const first = await operators.first();
  const { key } = first ? await operators.createKey(first.id) : (await operators.create('sandbox')).key;
  return { key, isNew: true };
}

async function isValid(app: INestApplicationContext, key: string): Promise<boolean> {
  return (await app.get(AuthenticationService).identify(`Bearer ${key}`, null)) !== undefined;
}
