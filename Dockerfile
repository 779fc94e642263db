# Two stages: the first compiles, the second holds what runs.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The native modules that Node 24 loads come ready-made inside their packages: no install script, no compiler.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json nest-cli.json ./
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts && rm -rf node_modules/better-sqlite3

FROM node:24-slim
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  DATABASE_URL=sqlite:/data/pet-user-service.sqlite
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY scripts/build-if-possible.mjs scripts/
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# node itself is process 1, so that SIGTERM reaches it.
CMD ["node", "dist/main.js"]
