# Builds and runs logweir: docker build --tag logweir . && docker run --publish 127.0.0.1:4000:4000 --volume logweir:/data logweir

# This image has a compiler, which the native packages need if no prebuilt ones are found.
FROM node:24-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts && npm rebuild re2 zstd-napi
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts \
  && rm -rf node_modules/re2/vendor node_modules/*/build/Release/obj.target

FROM node:24-bookworm-slim
WORKDIR /app
# The health check of Supabase's analytics service runs curl inside the container.
RUN apt-get update && apt-get install -y --no-install-recommends curl && rm -rf /var/lib/apt/lists/*
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN install -d -o 1000 -g 1000 -m 700 /data
# A number, so that an orchestrator can check that it is not root.
USER 1000:1000
# An image with LOGWEIR_SUPABASE=true takes the place of Supabase's analytics image without another setting.
ARG LOGWEIR_SUPABASE=false
# Large pieces of memory go back to the system when they are freed: docs/operations.md, Memory.
ENV NODE_ENV=production LOGWEIR_HOST=0.0.0.0 LOGWEIR_DATA_DIR=/data LOGWEIR_LOG_FORMAT=json LOGWEIR_SUPABASE=$LOGWEIR_SUPABASE \
    MALLOC_MMAP_THRESHOLD_=262144
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=10m \
  CMD ["node", "/app/dist/cli.js", "health"]
ENTRYPOINT ["node", "/app/dist/cli.js"]
CMD ["serve"]
