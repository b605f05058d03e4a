# An image of the server, with its page. See docs/deploy/one-node.md.

FROM node:24-slim AS build
WORKDIR /src
COPY . .
RUN npm ci
RUN npm run --silent build:packages
# Only what is needed to run: the built packages, and their dependencies as package-lock.json has them. Node itself is an
# optional dependency, and is in the image already.
RUN for each in packages/protocol packages/log packages/agents packages/store packages/channels packages/server packages/client apps/cli; do \
      mkdir -p "/app/$each" && cp -r "$each/package.json" "$each/dist" "/app/$each/" || exit 1; \
    done \
    && cp -r apps/cli/bin /app/apps/cli/ \
    && cp package.json package-lock.json .npmrc LICENSE /app/
RUN cd /app && npm ci --workspace throughline --omit=dev --omit=optional --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4000 \
    THROUGHLINE_DATA=/data \
    PATH=/app/node_modules/.bin:$PATH
WORKDIR /app
COPY --from=build /app /app
# A new volume gets the owner and the rights of these folders.
RUN mkdir -m 700 /data /backups && chown node:node /data /backups
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(response => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# Not through npm or a shell: the process itself gets SIGTERM, ends its runs and closes the store.
CMD ["node", "apps/cli/bin/throughline.js", "serve"]
