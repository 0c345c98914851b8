/** @type {import('next').NextConfig} */
export default {
  // Types are checked once, by `npm run types`, over every room and not only the web's.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ['pg', '@prisma/client', '@prisma/adapter-pg', '@node-rs/argon2', 'pino', 'busboy'],
  poweredByHeader: false,
  reactStrictMode: true,
}
