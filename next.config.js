/** In production, deploy/run/web.ts serves the API. In development, `app/api/[...path]/route.dev.ts` does. */
const isDevelopment = process.env.NODE_ENV === 'development'

/** The operations that are not below /api. */
const elsewhere = [
  '/gpu/:path*',
  '/queue',
  '/queue/:path*',
  '/orchestrator/:path*',
  '/metrics',
  '/healthz',
  '/readyz',
  '/gpuq.tgz',
  '/gpuq.py',
  '/docs/images/:name',
]

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
    // Compiling zod for each kind of server code takes two seconds of each first page. A build compiles it only once.
    ...(isDevelopment ? ['zod'] : []),
  ],
  poweredByHeader: false,
  // deploy/run/web.ts compresses the answers of pages and of the API.
  compress: false,
  reactStrictMode: true,
  // No page uses the optimizer of images, which anyone could call. It costs much CPU and keeps files on the disk.
  images: { unoptimized: true },
  // Otherwise each page takes memory from the start. And no request may make Next.js write to the disk.
  experimental: { preloadEntriesOnStart: false, isrFlushToDisk: false },
  pageExtensions: ['tsx', 'ts', ...(isDevelopment ? ['dev.ts'] : [])],
  rewrites: async () =>
    isDevelopment ? elsewhere.map((source) => ({ source, destination: `/api${source}` })) : [],
}
