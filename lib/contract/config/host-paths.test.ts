import { expect, it } from 'vitest'
import { refuseHostDirectory } from './host-paths'

it.each([
  '/home/ada/project',
  '/tmp',
  '/tmp/x',
  '/work/x',
  '/root/x',
  '/opt/conda',
  '/usr/local/anaconda3',
  '/usr/share/miniconda',
  '/library/x',
  '/var/tmp/x',
  '/runs',
])('can be mounted: %s', (path) => {
  expect(refuseHostDirectory(path)).toBeNull()
})

it.each([
  '/',
  '/etc',
  '/etc/x',
  '/proc/1/root',
  '/run/user/1000',
  '/var/run/x',
  '/var',
  '/dev/shm',
  '/job',
  '/results/x',
  '/usr',
  '/usr/local',
  '/usr/bin/x',
  '/usr/lib/python3',
  '/usr/local/lib/x',
  '/lib64',
  '/libexec/x',
  '/home/../etc',
  'home/ada',
  '/home/ada/',
])('would hide files of the container: %s', (path) => {
  expect(refuseHostDirectory(path)).not.toBeNull()
})
