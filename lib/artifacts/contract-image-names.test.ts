import { expect, it } from 'vitest'
import { isImageName } from './contract-image-names'

it('files are images by their name, but not SVG, which is a document', () => {
  const names = ['a.PNG', 'plots/b.jpeg', 'c.svg', 'd.txt', 'png', 'e.png.txt']
  expect(names.filter(isImageName)).toEqual(['a.PNG', 'plots/b.jpeg'])
})
