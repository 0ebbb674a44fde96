/** `npm run reseal`: re-encrypts every secret in the database under the present keys. Afterwards the previous keys are not needed. */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import { takeEnvironment } from '../runtime/config-loader';
import { ResealingService } from '../keys';
import { ServiceLogger } from '../runtime/observability/logger';
import { runningSettings } from '../sandbox';

async function run(): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule.for(runningSettings(await takeEnvironment())), {
    abortOnError: false,
    logger: new ServiceLogger('warn'),
  });
  try {
    console.log(`${await app.get(ResealingService).resealAll()} secrets were resealed.`);
  } finally {
    await app.close();
  }
}

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
