import type { MigrationInterface } from 'typeorm';
import { Foundation0000000000001 } from './0001-foundation';

/** Every migration in its order. One that has landed is never edited: a change is a new one at the end. */
export const migrations: (new () => MigrationInterface)[] = [Foundation0000000000001];
