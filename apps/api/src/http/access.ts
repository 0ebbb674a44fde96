import { SetMetadata, type ExecutionContext } from '@nestjs/common';

/** Access to routes. A route without a decorator is for operator keys alone. */
export type Access = 'public' | 'agent' | 'agent-only' | 'operator';

const ACCESS = Symbol('access');

/** Allows agent keys too, for their own accounts. */
export const AgentAllowed = (): MethodDecorator & ClassDecorator => SetMetadata(ACCESS, 'agent' satisfies Access);

/** Allows agent keys alone: an operator key may do more than the route should be able to. */
export const AgentOnly = (): MethodDecorator & ClassDecorator => SetMetadata(ACCESS, 'agent-only' satisfies Access);

/** Needs no key. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(ACCESS, 'public' satisfies Access);

/** The access that a route declares, or else its controller. */
export function accessOf(context: Pick<ExecutionContext, 'getHandler' | 'getClass'>): Access {
  const declared: unknown = Reflect.getMetadata(ACCESS, context.getHandler()) ?? Reflect.getMetadata(ACCESS, context.getClass());
  return declared === 'public' || declared === 'agent' || declared === 'agent-only' ? declared : 'operator';
}
