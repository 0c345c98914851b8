import { useTheme } from 'next-themes'
import { type RefObject, useEffect, useRef, useState } from 'react'

/** Draws with the colours of the page. */
export interface Drawing {
  context: CanvasRenderingContext2D
  width: number
  height: number
  /** The value of a CSS variable: a canvas cannot use the variable. */
  colour: (variable: string) => string
  font: string
}

/**
 * A canvas that is drawn again after each change of its size, of the theme, and of the function.
 * @param draw the same function while nothing else changes
 */
export function useCanvas(draw: (drawing: Drawing) => void): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { resolvedTheme } = useTheme()
  useEffect(() => {
    const element = canvas.current
    // A dependency: colours are read from the page.
    if (!element || resolvedTheme === undefined) return
    const paint = () => {
      const context = element.getContext('2d')
      const { clientWidth: width, clientHeight: height } = element
      if (!context || width === 0) return
      const ratio = window.devicePixelRatio || 1
      element.width = Math.round(width * ratio)
      element.height = Math.round(height * ratio)
      context.setTransform(ratio, 0, 0, ratio, 0, 0)
      const style = getComputedStyle(element)
      // To read a style for each of 10,000 squares would take longer than to draw them.
      const colours = new Map<string, string>()
      const colour = (variable: string) => {
        const known = colours.get(variable) ?? style.getPropertyValue(variable).trim()
        colours.set(variable, known)
        return known
      }
      draw({ context, width, height, colour, font: `11px ${style.fontFamily}` })
    }
    paint()
    const observer = new ResizeObserver(paint)
    observer.observe(element)
    return () => observer.disconnect()
  }, [draw, resolvedTheme])
  return canvas
}

/** The width of an element in CSS pixels; 0: not known yet. */
export function useWidth(host: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = host.current
    if (!element) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [host])
  return width
}
