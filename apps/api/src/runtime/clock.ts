import { Injectable } from '@nestjs/common';

/** The service's one clock. Tests put another in its place. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
