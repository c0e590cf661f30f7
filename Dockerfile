# Builds and runs logweir: docker build --tag logweir . && docker run --publish 127.0.0.1:4000:4000 --volume logweir:/data logweir

# This image has a compiler, which re2 needs if no prebuilt one is found. The program runs without re2 too, and matches
# patterns more slowly then.
FROM node:24-bookworm AS build
RUN npm install --global --allow-scripts=re2 re2@1.24.0 \
  && cd /usr/local/lib/node_modules/re2 && rm -rf vendor node_modules build/Release/obj.target
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm pack --ignore-scripts && tar -xzf logweir-*.tgz

FROM node:24-bookworm-slim
WORKDIR /app
# The health check of Supabase's analytics service runs curl inside the container.
RUN apt-get update && apt-get install -y --no-install-recommends curl && rm -rf /var/lib/apt/lists/*
COPY --from=build /app/package ./
COPY --from=build /usr/local/lib/node_modules/re2 ./node_modules/re2
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
