import { SetMetadata, type ExecutionContext } from '@nestjs/common';

/** Who may call a route. A route that says nothing is for operator keys alone. */
export type Access = 'public' | 'agent' | 'operator';

const ACCESS = Symbol('access');

/** Agent keys may call this too, for their own accounts. */
export const AgentAllowed = (): MethodDecorator & ClassDecorator => SetMetadata(ACCESS, 'agent' satisfies Access);

/** No key is needed. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(ACCESS, 'public' satisfies Access);

/** The access that a route or else its controller declares. */
export function accessOf(context: ExecutionContext): Access {
  const declared: unknown = Reflect.getMetadata(ACCESS, context.getHandler()) ?? Reflect.getMetadata(ACCESS, context.getClass());
  return declared === 'public' || declared === 'agent' ? declared : 'operator';
}
