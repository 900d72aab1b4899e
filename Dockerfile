# The image runs the Node of package-lock.json, the same as the tests. The base image has the C library and certificates
# and nothing else: no shell, no package manager, no npm, no compiler.

# The files of the package `petstore`, as `npm run pack` packs them.
FROM node:26-trixie-slim AS files
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY client/package.json client/
COPY console/package.json console/
# Not `npm ci`: it fails if the registry lacks an optional package of another platform.
RUN npm install --no-save --ignore-scripts --loglevel=error
COPY README.md ./
COPY scripts/pack.ts scripts/pack-client.ts scripts/console-stamp.mjs scripts/
COPY server/bin server/bin
COPY server/src server/src
COPY client/src client/src
COPY console/build.ts console/index.html console/
COPY console/src console/src
RUN node scripts/pack.ts --stage /petstore

FROM node:26-trixie-slim AS build
WORKDIR /app
# Node links against libatomic, which the image below lacks.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY client/package.json client/
COPY console/package.json console/
# The service needs what package-lock.json names for it, and nothing that the console was built with.
RUN npm install --no-save --omit=dev --ignore-scripts --loglevel=error \
  && npm rebuild node --loglevel=error \
  && rm -rf node_modules/node/node_modules \
    node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
    node_modules/esbuild node_modules/@esbuild node_modules/preact node_modules/@preact node_modules/@fontsource-variable \
    node_modules/@petstore server client console package-lock.json .npmrc \
  && find node_modules/better-sqlite3/prebuilds -type f ! -name 'linux-*.node' -delete \
  && node_modules/.bin/node --version
COPY --from=files /petstore/ ./
COPY deploy/healthcheck.mjs deploy/
# Fills the compile cache as the user of the service, because a read-only file system cannot cache later.
RUN install --directory --owner=65532 node_modules/.cache/petstore \
  && setpriv --reuid=65532 --clear-groups node_modules/.bin/node server/bin/petstore.js --help \
  && NODE_COMPILE_CACHE=/app/node_modules/.cache/petstore setpriv --reuid=65532 --clear-groups \
    node_modules/.bin/node --eval "import('/app/server/src/cli/serve.js')" \
  && chmod -R a+rX node_modules/.cache \
  && mkdir --mode=0700 /data \
  && mkdir /runtime \
  && cp --parents --dereference /usr/lib/*-linux-gnu/libatomic.so.1 /runtime \
  && cp --parents --recursive --no-dereference /app /runtime

FROM gcr.io/distroless/cc-debian13:nonroot
COPY --from=build /runtime /
COPY --from=build --chown=65532:65532 /data /data
WORKDIR /app
# A number, so that Kubernetes can verify that it is not root.
USER 65532:65532
ENV NODE_ENV=production \
  PETSTORE_HOST=0.0.0.0 \
  PETSTORE_PORT=8080 \
  PETSTORE_DATA_DIR=/data
# The only folder that is written to: the root file system may be read-only.
VOLUME ["/data"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=120s --retries=3 \
  CMD ["/app/node_modules/.bin/node", "/app/deploy/healthcheck.mjs"]
ENTRYPOINT ["/app/node_modules/.bin/node", "/app/server/bin/petstore.js"]
CMD ["serve"]
