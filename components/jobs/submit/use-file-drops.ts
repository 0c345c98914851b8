'use client'

import { useEffect, useEffectEvent, useState } from 'react'

const carriesFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false

/**
 * Takes files dropped anywhere on the page, so that nobody misses the spot and has the browser open the file instead.
 * Listens before everything else, because an editor would paste a file's text where it falls; only an element marked
 * with `data-takes-files` sees to its own.
 * @returns whether files hover over the page now.
 */
export function useFileDrops(onFiles: (files: File[]) => void): boolean {
  const [hovering, setHovering] = useState(false)
  const take = useEffectEvent(onFiles)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      event.preventDefault()
      setHovering(true)
    }
    const leave = (event: DragEvent) => {
      // Without a next element, the pointer has left the window.
      if (event.relatedTarget === null) setHovering(false)
    }
    const drop = (event: DragEvent) => {
      setHovering(false)
      const hasOwnPlace = event.target instanceof Element && event.target.closest('[data-takes-files]')
      if (!carriesFiles(event) || hasOwnPlace) return
      event.preventDefault()
      event.stopPropagation()
      take([...(event.dataTransfer?.files ?? [])])
    }
    const options = { capture: true }
    window.addEventListener('dragover', over, options)
    window.addEventListener('dragleave', leave, options)
    window.addEventListener('drop', drop, options)
    return () => {
      window.removeEventListener('dragover', over, options)
      window.removeEventListener('dragleave', leave, options)
      window.removeEventListener('drop', drop, options)
    }
  }, [])
  return hovering
}
