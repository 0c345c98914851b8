/** A file in a working directory that the container removes when it has copied the uploaded files. */
export const copyMarker = '.gpuq-copying'
