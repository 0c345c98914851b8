/** Runs once in each web server, before the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { registerAllEngines } = await import('./lib/engines')
  registerAllEngines()
  const { watchStorage } = await import('./lib/storage/watch')
  const { storeUploads } = await import('./lib/buckets/store-uploads')
  const { deliverNotifications } = await import('./lib/notifications/deliver')
  const { watchDisk } = await import('./lib/notifications/watch-disk')
  void watchStorage()
  void storeUploads()
  void deliverNotifications()
  void watchDisk()
}
