import type { CauseId } from './causes'

/** What a text shows. The first group of `sign` is the path, module, command or the like that the error names. */
interface Sign {
  cause: CauseId
  sign: RegExp
  /** Programs other than Python print it, so that it is no exception. */
  byPrograms?: true
}

const word = String.raw`['"‘’\`]`

/** In the order in which they are tried: the first ones are causes of later ones, or more special. */
export const signs: readonly Sign[] = [
  {
    cause: 'windows_lines',
    // What shells, env and the kernel print for a carriage return at the end of a line. On a page, what follows it has replaced the
    // beginning of the line.
    sign: /\$'[^']{0,200}\\r'|\^M: bad interpreter|\r['’]?: (?:command )?(?:not found|No such file)|\\r['’]: (?:\[Errno 2\] )?No such file|: -\r?: invalid option\s*$|set: Illegal option -\s*$|pipefail\r?: invalid option name|^: (?:No such file or directory|invalid option name|(?:command )?not found|Directory nonexistent)|\d: \r?: not found|cannot (?:create|open) \S{0,200}\r/,
  },
  {
    cause: 'bash_in_sh',
    sign: /Illegal option -o pipefail|\[\[: not found|[Ss]yntax error: (?:(?:"\("|redirection) unexpected|unexpected "\("|unexpected redirection)|: Bad substitution$|: (?:declare|shopt|pushd|mapfile|readarray|source): not found/,
  },
  {
    cause: 'command_missing',
    sign: /\b(pip3?): (?:command )?not found|No module named '?(pip)'?$|^(?:\S{1,200}: )?(?:line \d+: |\d+: )?([\w.+-]{1,200}): (?:command )?not found$|exec: "([^"]{1,200})": executable file not found|command '([^']{1,80})' failed: No such file|unable to execute '([^']{1,80})'|Could not find conda environment: (\S{1,80})|^(?:\/usr\/bin\/)?env: ['‘]?([\w.+-]{1,200})['’]?: No such file/,
  },
  {
    cause: 'script_not_run',
    // What shells print for a script that does not exist, or whose first line names a program that does not: /bin/bash with a carriage
    // return. The kernel tells them the same for both.
    sign: /(?:^|[\s:'"])(\.{0,2}\/[^\s:'"]{1,200})['"]?: (?:not found|cannot execute: required file not found|bad interpreter: No such file)/,
  },
  {
    cause: 'lfs_pointer',
    sign: /invalid load key, 'v'|Unsupported operand 118\b|version https:\/\/git-lfs\.github\.com/,
  },
  {
    cause: 'credentials',
    sign: /\b401 Client Error|\b403 Client Error|GatedRepoError|No API key (?:configured|found)|api_key client option must be set|api_key not configured|\bwandb\.login\b|huggingface-cli login|You must be authenticated|Access to model .{0,200} is restricted|Invalid username or password|could not read Username for|NoCredentialsError|Permission denied \(publickey|AuthenticationError|InvalidAccessKeyId/,
  },
  { cause: 'gpu_shared', sign: /Duplicate GPU detected/ },
  { cause: 'port_in_use', sign: /Address already in use|\bEADDRINUSE\b|port \d+ is already in use/i },
  {
    cause: 'distributed',
    sign: /\bDistBackendError|\bDistNetworkError|\bDistStoreError|\bnccl\w{0,60}Error\b|ProcessGroup(?:NCCL|Gloo)|NCCL (?:error|WARN .{0,200}(?:failed|closed))|Watchdog caught collective|\bRendezvous\w{0,60}Error|\bTCPStore\b|The client socket has (?:timed out|failed)|\[\S{0,200}gloo\/|Timed out (?:after .{0,200} )?waiting for clients|Connection closed by peer \[|initializing process group|\bMPI_ABORT\b|Socket Timeout$/,
  },
  {
    cause: 'network',
    sign: /Temporary failure (?:in name resolution|resolving)|Name or service not known|nodename nor servname|Could not resolve host|\bgetaddrinfo (?:ENOTFOUND|EAI_AGAIN)|Network is unreachable|No route to host|NameResolutionError|unable to resolve host address|Failed to establish a new connection|couldn't connect to 'https?:|is not a valid model identifier|Can't load (?:tokenizer|the model|the configuration|feature extractor)|OfflineModeIsEnabled|files in the (?:disk|local) cache|Failed to connect to (?!localhost|127\.)\S{1,200} port|outgoing traffic has been disabled|\(from versions: none\)|\bCannot reach https?:|Connection timed out|LocalEntryNotFoundError/i,
  },
  {
    cause: 'connection_refused',
    sign: /(?:ConnectionRefusedError: )?\[Errno 111\] Connect call failed \(([^)]{1,80})\)|Connection ?[Rr]efused|Cannot assign requested address|Failed to connect to (?:localhost|127\.)\S{0,200} port|\bECONNREFUSED\b/,
  },
  {
    cause: 'gpu_out_of_memory',
    sign: /CUDA out of memory|HIP out of memory|CUDA error: out of memory|cudaErrorMemoryAllocation|CUDA_ERROR_OUT_OF_MEMORY|CUBLAS_STATUS_ALLOC_FAILED|RESOURCE_EXHAUSTED|OOM when allocating tensor|OutOfMemoryError: Out of memory allocating|No available memory for the cache blocks|Free memory on device .{0,200} is less than/i,
  },
  {
    cause: 'gpu_unsupported',
    sign: /no kernel image is available for execution|driver version is insufficient|forward compatibility was attempted|NVIDIA driver on your system is too old|is not compatible with the current PyTorch installation|cudaErrorNoKernelImageForDevice|Torch not compiled with CUDA enabled|CUDA_ERROR_(?:NO_BINARY_FOR_GPU|UNSUPPORTED_PTX_VERSION)/,
  },
  {
    cause: 'gpu_missing',
    sign: /No CUDA GPUs are available|CUDA error: invalid device ordinal|Found no NVIDIA driver|No HIP GPUs are available|CUDA unknown error|cudaErrorNoDevice|CUDA_ERROR_NO_DEVICE|no CUDA-capable device|Attempting to deserialize object on a CUDA device|No supported gpu backend found|your machine only has: \[|CUDA is not available/i,
  },
  {
    cause: 'gpu_defect',
    sign: /uncorrectable ECC|CUDA_ERROR_ECC_UNCORRECTABLE|GPU (?:is lost|has fallen off the bus)|cudaErrorECCUncorrectable|cudaErrorDevicesUnavailable|CUDA-capable device\(s\) is\/are busy|NVRM: Xid/,
  },
  {
    cause: 'index_out_of_range',
    sign: /device-side assert triggered|index out of range in self|\bTarget -?\d+ is out of bounds|index -?\d+ is out of bounds for (?:axis|dimension)|IndexError: (?:tensors used as indices|index -?\d+ is out of|[\w ]{1,40} index out of range|(?:pop|delete|remove) from empty )|positional indexers? (?:is|are) out-of-bounds/,
  },
  {
    cause: 'gpu_fault',
    sign: /illegal memory access|unspecified launch failure|misaligned address|CUDA error: (?:an illegal instruction|invalid argument|unknown error|invalid configuration|the launch timed out)|CUDA_ERROR_(?:ILLEGAL_ADDRESS|LAUNCH_FAILED|INVALID_VALUE)|CUBLAS_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR|NOT_INITIALIZED)|CUDNN_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR|NOT_INITIALIZED)|out of resource: shared memory/,
  },
  {
    cause: 'shm_full',
    sign: /unable to (?:allocate|write to|mmap|open) (?:shared memory|file <\/torch_)|insufficient shared memory|killed by signal: Bus error|No space left on device: '\/(?:dev\/shm|psm_)|\bout of shared memory\b/i,
  },
  {
    cause: 'disk_full',
    sign: /No space left on device|\bENOSPC\b|Disk quota exceeded|\bEDQUOT\b|PytorchStreamWriter failed writing|unexpected pos \d+ vs \d+|\d requested and \d{1,20} written/,
  },
  { cause: 'read_only', sign: /Read-only file system(?:: ['"]?([^'"]{1,200}))?|\bEROFS\b/i },
  {
    cause: 'data_loader_worker',
    sign: /DataLoader worker \(pid(?:\(s\))? [\d, ]{1,200}\) (?:exited unexpectedly|is killed by signal)/,
  },
  {
    cause: 'host_out_of_memory',
    sign: /^(?:[\w.]{1,200}\.)?_?(?:Array)?MemoryError\b|\bMemoryError\(|can't allocate memory|Cannot allocate memory|std::bad_alloc|\bENOMEM\b|JavaScript heap out of memory|java\.lang\.OutOfMemoryError|Out of memory: Killed process|oom-kill|\bunable to allocate \d/i,
  },
  {
    cause: 'library_missing',
    sign: /(\blib[\w+-]{1,60}(?:\.[\d]{1,8})?\.so[\d.]{0,20}): cannot open shared object file|(\blib[\w+-]{1,60}(?:\.[\d]{1,8})?\.so[\d.]{0,20}): undefined symbol|undefined symbol: |version [`'](?:GLIBC|GLIBCXX|CXXABI)_[\w.]{1,200}' not found|numpy\.dtype size changed|module that was compiled using NumPy|numpy\.core\.multiarray failed to import|_ARRAY_API not found|Could not load library (lib\S{1,200})|CUDA_HOME environment variable is not set|Ninja is required to load C\+\+ extensions|CUDA Setup failed/,
  },
  {
    cause: 'import_missing',
    sign: /No module named '?([\w.-]{1,200})|Cannot find (?:module|package) '([^']{1,200})'|there is no package called [‘']([^’']{1,200})|Can't locate (\S{1,200}) in @INC|cannot load such file -- (\S{1,200})|Package (\w{1,100}) not found in current path/,
  },
  {
    cause: 'import_name',
    sign: /cannot import name '([^']{1,200})'|AttributeError: (?:partially initialized )?module '[^']{1,200}' has no attribute '([^']{1,200})'|Can't get attribute '([^']{1,200})' on <module/,
  },
  {
    cause: 'bad_checkpoint',
    sign: /Error\(s\) in loading state_dict|PytorchStreamReader failed|failed finding central directory|UnpicklingError|EOFError: Ran out of input|Weights only load failed|invalid load key|pickle data was truncated|SafetensorError|HeaderTooLarge|InvalidHeaderDeserialization|MetadataIncompleteBuffer|file signature not found|loaded state dict (?:contains|has)|invalid header or archive is corrupted/,
  },
  {
    cause: 'device_mismatch',
    sign: /Expected all tensors to be on the same device|can't convert cuda:\d+ device type tensor to numpy|Input type \(torch\.(?:cuda\.)?\w{1,60}\) and weight type \(torch\.(?:cuda\.)?\w{1,60}\) should be the same|tensor\w{0,60} (?:is|are) on (?:cpu|cuda:?\d*),? (?:but|different)|Expected a '\w{1,60}' device type for generator but found|at least two devices/,
  },
  {
    cause: 'dtype_mismatch',
    sign: /mat1 and mat2 must have|Expected floating point type|not implemented for '(\w{1,60})'|can't be cast to the desired output type|ufunc .{0,200} not supported for the input types|Cannot cast ufunc|can't convert np\.ndarray of type|but expected (?:Double|Float|Long|Half)|should be the same$|tensors? of floating point dtype can require gradients/,
  },
  {
    cause: 'not_finite',
    sign: /FloatingPointError|invalid values?[\s\S]{0,200}nan/,
  },
  {
    cause: 'shape_mismatch',
    sign: /shapes? cannot be multiplied|could not (?:be )?broadcast|not broadcast\b|shape '\[.{0,200}\]' is invalid for input|cannot reshape|Expected input batch_size|expected input\[.{0,200}\] to have|expecting \d+ features|expects each tensor to be equal size|not aligned|mismatch in its core dimension|inhomogeneous|Expected \d+D|Dimensions? must be equal|not broadcastable|is incompatible with the layer|size-incompatible|Expected more than 1 value per channel|all (?:the )?input array dimensions|The expanded size of the tensor|Dimension out of range|view size is not compatible|Given groups=\d|Calculated padded input size|Kernel size can't be greater|stack (?:expects|requires)|same number of dimensions|dot_general requires|a Tensor with \d+ elements cannot be converted/,
  },
  { cause: 'assertion', sign: /^(?:[\w.]{1,200}\.)?AssertionError\b|: Assertion [`'].{1,200}' failed/ },
  {
    cause: 'call_error',
    sign: /TypeError: .{0,200}(?:unexpected keyword argument|missing \d+ required|takes (?:from |no |at most |exactly )?.{0,200}argument|got multiple values for|got some positional-only)/,
  },
  {
    cause: 'syntax_error',
    sign: /^(?:SyntaxError|IndentationError|TabError)\b|syntax error near unexpected|[Ss]yntax error: |unexpected EOF while looking for|^syntax error at /,
  },
  {
    cause: 'argument_error',
    sign: /(?:^|\s)\$?\d{1,2}: (?:unbound variable|parameter not set)|^[\w./ -]{1,200}: error: (?:unrecognized arguments|the following arguments are required|argument |ambiguous option|one of the arguments|invalid choice)|^[│\s]{0,8}(?:Error: )?(?:No such option|Missing (?:option|argument|parameter)|Invalid value for|Got unexpected extra argument)|(?:unrecognized|unknown|invalid) option|Could not override|Unknown command line flag|Flags parsing error|Could not consume arg|illegal option --|Unable to parse args|error: unrecognized arguments/,
  },
  {
    cause: 'file_missing',
    sign: new RegExp(
      String.raw`can't open file ${word}([^'"]{1,200})${word}|(?:FileNotFoundError|NotADirectoryError): .{0,200}?${word}([^'"]{1,200})${word}\s*(?:->|$)|(?:FileNotFoundError|NotADirectoryError): (?:[Ff]ile )?([^\s'"]{1,200}) (?:not found|does not exist|doesn't exist)|(?:FileNotFoundError|NotADirectoryError)\b|${word}([^'"‘’]{1,200})${word}: No such file or directory|(?:open|stat|read|access|find|load) (?:file )?${word}?([^'"‘’:\s]{1,200})${word}?: No such file or directory|([^\s:'"()]{1,200}) \(No such file or directory\)|: ([^:'\"‘’\s]{1,200}): No such file or directory|No such file or directory(?:: ${word}?([^'":]{1,200})${word}?)?|\bENOENT\b[^']{0,60}(?:'([^']{1,200})')?|does not exist: ${word}?([^'":\s]{1,200})|Directory nonexistent|can't cd to (\S{1,200})|unable to open database file|[Uu]nable to (?:synchronously )?open file \(.{0,40}name = '([^']{1,200})'|Cannot find primary config|No rule to make target [‘'\x60]([^’']{1,200})`,
    ),
  },
  {
    cause: 'process_limit',
    sign: /Too many open files|received 0 items of ancdata|can't start new thread|Cannot fork|fork: (?:retry: )?Resource temporarily unavailable|\bE(?:MFILE|NFILE|AGAIN)\b|Resource temporarily unavailable|pthread_create failed/,
  },
  {
    cause: 'permission',
    sign: new RegExp(
      String.raw`PermissionError: .{0,200}?${word}([^'"]{1,200})${word}|PermissionError\b|([^\s:'"]{1,200})['"]?: Permission denied|Permission denied|Operation not permitted|\bE(?:ACCES|PERM)\b`,
    ),
  },
  { cause: 'no_input', sign: /EOFError: EOF when reading a line/ },
  {
    cause: 'no_display',
    sign: /no display name and no \$DISPLAY|requires the '\w{1,60}' interactive framework|Qt platform plugin|cannot (?:connect to|open) (?:X server|display)|could not connect to display|Failed to open display/,
  },
  {
    cause: 'bad_data',
    sign: /JSONDecodeError|yaml\.\w{1,60}\.\w{0,60}Error|(?:Parser|Scanner)Error|Unicode(?:De|En)codeError|could not convert string\b|invalid literal for int|EmptyDataError|TOMLDecodeError|BadZipFile|BadGzipFile|UnidentifiedImageError|cannot identify image file|XMLSyntaxError|ArrowInvalid|Invalid isoformat|(?:does not|doesn't) match (?:the )?format|No columns to parse|is not valid JSON|Unexpected token|malformed node|ParseError|_csv\.Error/,
  },
  {
    cause: 'bad_data',
    byPrograms: true,
    sign: /^(?:gzip|gunzip|tar|unzip|bzip2|xz|zstd|7z)\b.{0,200}(?:not in gzip format|unexpected end of (?:file|input)|not look like a tar archive|invalid compressed data|[Ff]ile format not recognized|cannot find zipfile directory|not a bzip2 file|unsupported format)|End-of-central-directory signature not found/,
  },
  { cause: 'syntax_error', sign: /^[\w./-]{1,200}:\d+:(?:\d+:)? (?:fatal )?error: / },
]

/** Signs of an exception. A message that only mentions such a word is none. */
const onlyInExceptions: ReadonlySet<CauseId> = new Set([
  'call_error',
  'bad_data',
  'not_finite',
  'shape_mismatch',
])

export interface FoundSign {
  cause: CauseId
  subject: string | null
}

/**
 * What a line shows; null: no known cause.
 * @param isException whether it is the exception that ended the program, and not any line of its output
 */
export function findSign(text: string, isException: boolean): FoundSign | null {
  // A line of output is long only if it is data.
  const searched = text.slice(0, isException ? 2000 : 500)
  for (const { cause, sign, byPrograms } of signs) {
    if (!isException && !byPrograms && onlyInExceptions.has(cause)) continue
    const match = sign.exec(searched)
    if (match) return { cause, subject: match.slice(1).find((group) => group !== undefined) ?? null }
  }
  return null
}
