import { expect, it } from 'vitest'
import { describeInstallation } from './installation.mjs'

const places = { checkout: '/src/gpuq', dataDir: '/src/gpuq/data', home: '/home/ada', hasLogin: false }
const everything = { packages: true, build: true, engine: true, image: 'gpuq/python:2' }
const nothing = { packages: false, build: false, engine: false, image: null }

it('a first start names what it installs, where, how large it is, and how to remove it', () => {
  expect(describeInstallation(everything, places)).toBe(
    [
      '  gpuq installs what is missing on this machine, which takes some minutes:',
      '    packages from npm, with PostgreSQL: 1.2 GB in /src/gpuq/node_modules',
      '    a build of gpuq: 550 MB in /src/gpuq/.next and /src/gpuq/dist',
      '    the Docker engine: 260 MB with apt-get (docker.io and iptables)',
      '    the image gpuq/python:2: 1.7 GB in the Docker engine',
      '  Its data will be in /src/gpuq/data.',
      '  To remove all of it later: /src/gpuq/gpuq stop && docker rmi gpuq/python:2 && apt-get purge docker.io && rm -rf /src/gpuq /home/ada/.config/gpuq',
    ].join('\n'),
  )
})

it('nothing is said if nothing is installed', () => {
  expect(describeInstallation(nothing, places)).toBeNull()
})

it('a command that starts no server names only its code; data elsewhere and another image are named as they are', () => {
  const code = describeInstallation({ ...nothing, build: true }, { ...places, dataDir: null })
  expect(code).not.toContain('data')
  expect(code).toContain('later: rm -rf /src/gpuq /home/ada/.config/gpuq')
  const image = describeInstallation(
    { ...nothing, image: 'lab/torch:1' },
    { ...places, dataDir: '/srv/gpuq' },
  )
  expect(image).toContain('    the image lab/torch:1 in the Docker engine')
  expect(image).toContain('later: /src/gpuq/gpuq stop --data-dir /srv/gpuq && docker rmi lab/torch:1 && ')
  expect(image).toContain('rm -rf /src/gpuq /srv/gpuq /home/ada')
})

it('an image that the engine may have, and logins to other servers, are not claimed', () => {
  const image = { ...nothing, image: 'gpuq/python:2', imageMayExist: true }
  const text = describeInstallation(image, { ...places, hasLogin: true })
  expect(text).toContain('1.7 GB in the Docker engine, unless it is there')
  expect(text).not.toContain('.config/gpuq')
})
