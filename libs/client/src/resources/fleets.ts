/** Fleets and their limits. */
import type { PagePromise } from '../pagination';
import {
  bodyOf,
  DRY_RUN,
  by,
  keyOf,
  ifMatch,
  signedBy,
  predictedBy,
  Resource,
  type Schemas,
  type Query,
  type PolicyUpdateOptions,
} from '../resource';
import type { RequestOptions } from '../transport';

/** Fleets: one policy, one set of limits and one pause for many accounts. */
export class Fleets extends Resource {
  /** Creates a fleet. A repeated call with the same `idempotencyKey` returns the first fleet. @throws SignatureRequired */
  create(body: Schemas['CreateFleet'], options: RequestOptions = {}): Promise<Schemas['Fleet']> {
    const header = keyOf(options);
    return signedBy(this.http.POST('/v1/fleets', { body, params: { header }, ...this.connection.repeatable(options) }));
  }

  retrieve(id: string, options?: RequestOptions): Promise<Schemas['Fleet']> {
    return bodyOf(this.http.GET('/v1/fleets/{id}', { ...by(id), ...this.connection.repeatable(options) }));
  }

  list(query: Query<'fleets.list'> = {}, options?: RequestOptions): PagePromise<Schemas['Fleet']> {
    return this.pages(query, (page) => this.http.GET('/v1/fleets', { params: { query: page }, ...this.connection.repeatable(options) }));
  }

  /** Changes the name or the metadata of a fleet. */
  update(id: string, body: Schemas['ChangeFleet'], options?: RequestOptions): Promise<Schemas['Fleet']> {
    return bodyOf(this.http.PATCH('/v1/fleets/{id}', { ...by(id), body, ...this.connection.repeatable(options) }));
  }

  /** The amount that the members may still spend together. */
  spending(id: string, options?: RequestOptions): Promise<Schemas['FleetSpending']> {
    return bodyOf(this.http.GET('/v1/fleets/{id}/spending', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /** The policy that binds each member by itself. */
  policy(id: string, options?: RequestOptions): Promise<Schemas['FleetPolicy']> {
    return bodyOf(this.http.GET('/v1/fleets/{id}/policy', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /** Changes the named fields of the policy. The others stay, and null resets a field. @throws SignatureRequired */
  updatePolicy(id: string, body: Schemas['UpdatePolicy'], options: PolicyUpdateOptions = {}): Promise<Schemas['FleetPolicy']> {
    const header = ifMatch(options);
    const params = { path: { id }, header };
    return signedBy(this.http.PUT('/v1/fleets/{id}/policy', { params, body, ...this.connection.repeatable(options) }));
  }

  /** The changes that `updatePolicy` would make, in sentences. */
  dryRunPolicy(id: string, body: Schemas['UpdatePolicy'], options?: RequestOptions): Promise<Schemas['FleetPolicyDryRun']> {
    const params = { path: { id }, ...DRY_RUN };
    return predictedBy(this.http.PUT('/v1/fleets/{id}/policy', { params, body, ...this.connection.repeatable(options) }));
  }

  /** Changes the named limits of all members together. @throws SignatureRequired */
  updateLimits(id: string, body: Schemas['UpdateLimits'], options: PolicyUpdateOptions = {}): Promise<Schemas['Limits']> {
    const header = ifMatch(options);
    const params = { path: { id }, header };
    return signedBy(this.http.PUT('/v1/fleets/{id}/limits', { params, body, ...this.connection.repeatable(options) }));
  }

  /** Stops all payments of the members, and ends their open purses by a job. Needs no signature if the service's key is the guardian. */
  pause(id: string, options?: RequestOptions): Promise<Schemas['PausedFleet']> {
    return signedBy(this.http.POST('/v1/fleets/{id}/pause', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /** @throws SignatureRequired */
  resume(id: string, options?: RequestOptions): Promise<Schemas['Fleet']> {
    return signedBy(this.http.POST('/v1/fleets/{id}/resume', { ...by(id), ...this.connection.repeatable(options) }));
  }

  /** Closes a fleet without members for ever. @throws SignatureRequired */
  close(id: string, options?: RequestOptions): Promise<Schemas['Fleet']> {
    return signedBy(this.http.POST('/v1/fleets/{id}/close', { ...by(id), ...this.connection.repeatable(options) }));
  }
}
