"""exp, log and log1p in text of our own, for kernels that shall give the same bits wherever they run.

The formulas are those of fdlibm (Sun Microsystems 1993, free to use with this notice), each good to less than one unit
in the last place. The text is interpreted as it stands and lowered for WebAssembly; machine code uses the system's
library, which may round the last bit the other way.
"""

import math
import struct

LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # the first has 32 bits: k times it is exact
INVERSE_LN2 = 1.44269504088896338700
LARGEST, SMALLEST = 7.09782712893383973096e02, -7.45133219101941108420e02  # beyond which exp overflows, underflows
P1, P2, P3 = 1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05
P4, P5 = -1.65339022054652515390e-06, 4.13813679705723846039e-08
L1, L2, L3, L4 = 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01
L5, L6, L7 = 1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01
ROOT_2 = 1.4142135623730951
NORMAL, LIFT, LIFTED = 2.2250738585072014e-308, 18014398509481984.0, 54  # 2**54 lifts a subnormal number
BIAS, WIDTH, FRACTION, ONE = 1023, 52, 0xFFFFFFFFFFFFF, 0x3FF0000000000000


def bits_of(x: float) -> int:
    """The 64 bits of a number as a signed integer."""
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits


def float_of(bits: int) -> float:
    """The number that has these bits."""
    x: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return x


def exp(x: float) -> float:
    """e to the x: x = k ln 2 + r, and a rational function of r."""
    if x != x:
        return x
    if x > LARGEST:
        return math.inf
    if x < SMALLEST:
        return 0.0
    k = int(INVERSE_LN2 * x + (0.5 if x >= 0.0 else -0.5))
    high, low = x - k * LN2_HIGH, k * LN2_LOW
    r = high - low
    t = r * r
    c = r - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))))
    y = 1.0 - ((low - (r * c) / (2.0 - c)) - high)
    half = k >> 1  # in two steps, so that neither power leaves the normal numbers
    return y * float_of((half + BIAS) << WIDTH) * float_of((k - half + BIAS) << WIDTH)


def log(x: float) -> float:
    """The natural logarithm: x = 2**k (1 + f), and a polynomial in f/(2 + f)."""
    if x != x or x == math.inf:
        return x
    if x < 0.0:
        return math.nan
    if x == 0.0:
        return -math.inf
    k = 0
    if x < NORMAL:
        x *= LIFT
        k = -LIFTED
    bits = bits_of(x)
    k += (bits >> WIDTH) - BIAS
    m = float_of((bits & FRACTION) | ONE)
    if m > ROOT_2:
        m *= 0.5
        k += 1
    return log_of(m - 1.0, k, 0.0)


def log1p(x: float) -> float:
    """The natural logarithm of 1 + x; what rounding 1 + x loses is put back."""
    if x != x or x == math.inf:
        return x
    if x < -1.0:
        return math.nan
    if x == -1.0:
        return -math.inf
    if abs(x) < 1e-300:
        return x
    if -0.2928932188134524 < x < 0.41421356237309503:
        return log_of(x, 0, 0.0)
    u = 1.0 + x
    lost = 1.0 - (u - x) if u >= 2.0 else x - (u - 1.0)
    bits = bits_of(u)
    k = (bits >> WIDTH) - BIAS
    m = float_of((bits & FRACTION) | ONE)
    if m > ROOT_2:
        m *= 0.5
        k += 1
    return log_of(m - 1.0, k, lost / u)


def log_of(f: float, k: int, c: float) -> float:
    """ln(2**k (1 + f)) + c for 1 + f between sqrt(1/2) and sqrt(2)."""
    half = 0.5 * f * f
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    rest = z * (L1 + w * (L3 + w * (L5 + w * L7))) + w * (L2 + w * (L4 + w * L6))
    return s * (half + rest) + (k * LN2_LOW + c) - half + f + k * LN2_HIGH
