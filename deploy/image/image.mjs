/**
 * Makes sure that the engine has the default environment's image. Pulls it from a registry, or builds it from
 * Debian packages, which takes about 90 seconds. The result is cached.
 */
import { pathToFileURL } from 'node:url'
import { createEngineClient, EngineError } from '../engine/docker-api.mjs'
import { defaultHost } from '../engine/engine-choice.mjs'
import { createReport, formatBytes } from '../run/report.mjs'
import { defaultImage, smokeTest } from './image-recipes.mjs'
import { buildFromPackages, buildFromRegistry, pullImage } from './image-sources.mjs'

/** @typedef {import('./image-sources.mjs').Making} Making */

/**
 * @param {Making & { image?: string }} making
 * @returns {Promise<{ image: string, how: 'present' | 'pulled' | 'packages', size: number }>}
 */
export async function ensureImage({ image = defaultImage, ...making }) {
  const present = await findImage(making.client, image)
  if (present !== null) return { image, how: 'present', size: present }
  if (image !== defaultImage) {
    await pullImage(making, image)
    return { image, how: 'pulled', size: (await findImage(making.client, image)) ?? 0 }
  }
  const { Arch: architecture } = await making.client.call('GET', '/version')
  const pulled = await buildFromRegistry(making, architecture)
  const id =
    typeof pulled === 'string' ? pulled : await buildFromPackages(making, architecture, pulled.reason)
  await testImage(making, id)
  const [repository, tag] = image.split(':')
  await making.client.call('POST', `/images/${id}/tag?repo=${repository}&tag=${tag}`)
  const how = typeof pulled === 'string' ? 'pulled' : 'packages'
  return { image, how, size: (await findImage(making.client, image)) ?? 0 }
}

/**
 * @param {import('../engine/docker-api.mjs').EngineClient} client
 * @param {string} image
 * @returns {Promise<number | null>} its size
 */
export async function findImage(client, image) {
  try {
    return (await client.call('GET', `/images/${image}/json`)).Size
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return null
    throw error
  }
}

/**
 * Runs the image once with the restrictions of a job, before it is tagged.
 * @param {Making} making
 * @param {string} id
 */
async function testImage({ client, progress, signal }, id) {
  progress('testing the image')
  const container = await client.call('POST', '/containers/create', {
    body: JSON.stringify({
      Image: id,
      Cmd: ['python', '-c', smokeTest],
      User: '10001:10001',
      Tty: true,
      HostConfig: {
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        NetworkMode: 'none',
        Tmpfs: { '/tmp': '', '/work': 'uid=10001' },
      },
    }),
  })
  const path = `/containers/${container.Id}`
  try {
    await client.call('POST', `${path}/start`)
    const { StatusCode } = await client.call('POST', `${path}/wait`, { signal })
    const output = await client.bytes('GET', `${path}/logs?stdout=1&stderr=1`)
    if (StatusCode !== 0) throw new Error(`The test of the new image failed:\n${output}`)
  } finally {
    await client.call('DELETE', `${path}?force=1`)
  }
}

const how = {
  present: 'already here',
  pulled: 'pulled from the registry',
  packages: 'built from Debian packages',
}

/** @param {Awaited<ReturnType<typeof ensureImage>>} made */
export function describeImage(made) {
  return `${made.image}, ${formatBytes(made.size)}, ${how[made.how]}`
}

// Can also run alone, for a machine or a compose file that only needs the image.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const client = createEngineClient(process.env.DOCKER_HOST || defaultHost)
  const image = process.env.GPUQ_DEFAULT_IMAGE || undefined
  await createReport().step(
    'Python image',
    (progress) => ensureImage({ client, image, progress }),
    describeImage,
  )
}
