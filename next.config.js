/** The queue API is served where its clients expect it; the routes themselves stand with all others. */
const queueApi = ['/gpu/:path*', '/queue', '/queue/:path*', '/orchestrator/:path*']

/** Compiling zod for each kind of server code takes two seconds of each first page. A build compiles it only once. */
const externalInDevelopment = process.env.NODE_ENV === 'development' ? ['zod'] : []

/** @type {import('next').NextConfig} */
export default {
  // Types are checked once, by `npm run types`, for the whole project and not only for the web.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: [
    'pg',
    '@prisma/client',
    '@prisma/adapter-pg',
    '@node-rs/argon2',
    'pino',
    'busboy',
    '@aws-sdk/client-s3',
    ...externalInDevelopment,
  ],
  poweredByHeader: false,
  // deploy/run/web.ts compresses the answers of pages and of the API.
  compress: false,
  reactStrictMode: true,
  // No page uses the optimizer of images, which anyone could call. It costs much CPU and keeps files on the disk.
  images: { unoptimized: true },
  // Otherwise each route of the API, which Next.js does not serve, takes 1.4 MiB from the start. And no request may make
  // Next.js write to the disk.
  experimental: { preloadEntriesOnStart: false, isrFlushToDisk: false },
  rewrites: async () => queueApi.map((source) => ({ source, destination: `/api${source}` })),
}
