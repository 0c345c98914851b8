/**
 * Loaded before a supervised program: ends it when its supervisor is gone, so that a killed `npm start` leaves no
 * web server and no worker behind. The supervisor's end shows as the end of the channel between the two.
 */
process.channel?.unref()
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'))
