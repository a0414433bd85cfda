# SPDX-License-Identifier: MIT
"""The programs of loops.py: text, inputs, and what they mean in NumPy."""

import numpy as np

PROGRAMS = []


class Program:
    def __init__(self, meaning, text, sizes, inputs):
        self.name, self.text, self.meaning = meaning.__name__, text, meaning
        self.sizes, self.inputs = list(sizes.items()), inputs


def program(text, inputs=lambda r: {}, **sizes):
    """The function below is what the text means; its result are outputs."""
    def add(meaning):
        PROGRAMS.append(Program(meaning, text, sizes, inputs))
        return meaning
    return add


def normal(r, *shape):
    return r.standard_normal(shape)


# ---- networks ----

@program("""size n, m, nt
in W : f64[n, n]
in V : f64[n, m]
in b : f64[n]
in x : f64[nt, m]
loop t[nt] h : f64[n] = 0.0
    next h = tanh(matmul(W, h) + matmul(V, x[t]) + b)
    stack s[t] = next(h)
end
out y : f64[nt, n] = s
out last : f64[n] = h
""", lambda r: dict(W=normal(r, 5, 5), V=normal(r, 5, 3), b=normal(r, 5),
                    x=normal(r, 9, 3)))
def rnn(W, V, b, x):
    h, y = np.zeros(5), []
    for v in x:
        h = np.tanh(W @ h + V @ v + b)
        y.append(h)
    return dict(y=np.array(y), last=h)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@program("""size n, nt
in U : f64[3, n, n]
in x : f64[nt, n]
function sigmoid(x)
    let y = 1.0/(1.0 + exp(-x))
    return y
end
loop t[nt] h : f64[n] = 0.0
    let z = sigmoid(matmul(U[0], h) + x[t])
    let r = sigmoid(matmul(U[1], h) - x[t])
    let c = tanh(matmul(U[2], r*h) + 0.5*x[t])
    next h = (1.0 - z)*h + z*c
end
out y : f64[n] = h
""", lambda r: dict(U=normal(r, 3, 4, 4), x=normal(r, 8, 4)))
def gru(U, x):
    h = np.zeros(4)
    for v in x:
        z, r = sigmoid(U[0] @ h + v), sigmoid(U[1] @ h - v)
        h = (1 - z) * h + z * np.tanh(U[2] @ (r * h) + 0.5 * v)
    return dict(y=h)


@program("""size n, nt
in U : f32[4, n, n]
in x : f32[nt, n]
loop t[nt] h : f32[n] = 0.0, c : f32[n] = 0.0
    let g = einsum("gij,j->gi", U, h) + x[t]
    let s = 1.0/(1.0 + exp(-g))
    next c = s[0]*c + s[1]*tanh(g[2])
    next h = s[3]*tanh(next(c))
end
out y : f32[n] = h
out z : f32[n] = c
""", lambda r: dict(U=normal(r, 4, 3, 3).astype("f4"),
                    x=normal(r, 7, 3).astype("f4")))
def lstm(U, x):
    h, c = np.zeros(3, "f4"), np.zeros(3, "f4")
    for v in x:
        g = U @ h + v
        s = 1 / (1 + np.exp(-g))
        c = s[0] * c + s[1] * np.tanh(g[2])
        h = s[3] * np.tanh(c)
    return dict(y=h, z=c)


# ---- filters and chains ----

@program("""size nt
in F : f64[2, 2]
in Q : f64[2, 2]
in z : f64[nt]
loop t[nt] x : f64[2] = 0.0, P : f64[2, 2] = eye(2)
    let xp = matmul(F, x)
    let Pp = matmul(matmul(F, P), transpose(F)) + Q
    let k = Pp[:, 0]/(Pp[0, 0] + 0.5)
    next x = xp + k*(z[t] - xp[0])
    next P = Pp - outer(k, Pp[0])
    stack s[t] = next(x)[0]
end
out y : f64[nt] = s
out cov : f64[2, 2] = P
""", lambda r: dict(F=np.array([[1, .1], [0, 1]]), Q=0.01 * np.eye(2),
                    z=normal(r, 20)))
def kalman(F, Q, z):
    x, P, y = np.zeros(2), np.eye(2), []
    for v in z:
        x, P = F @ x, F @ P @ F.T + Q
        k = P[:, 0] / (P[0, 0] + 0.5)
        x, P = x + k * (v - x[0]), P - np.outer(k, P[0])
        y.append(x[0])
    return dict(y=np.array(y), cov=P)


@program("""size n, m, nt
assume n >= 1 && nt >= 1
in A : f64[n, n]
in B : f64[n, m]
in obs : i64[nt]
loop t[1:nt] d = B[:, obs[0]]
    let s = d[:, None] + A
    next d = max[0](s) + B[:, obs[t]]
    stack back[t] = argmax[0](s)
end
loop t[0:nt-1] q : i64 = argmax(d)
    next q = back[nt-2-t, q]
    stack path[t] = next(q)
end
out best : f64 = max(d)
out last : i64 = argmax(d)
out states : i64[nt-1] = path
""", lambda r: dict(A=normal(r, 4, 4), B=normal(r, 4, 3),
                    obs=r.integers(0, 3, 11)))
def viterbi(A, B, obs):
    d, back = B[:, obs[0]], []
    for o in obs[1:]:
        s = d[:, None] + A
        back.append(s.argmax(0))
        d = s.max(0) + B[:, o]
    q, path = d.argmax(), []
    for b in back[::-1]:
        q = b[q]
        path.append(q)
    return dict(best=d.max(), last=np.int64(d.argmax()),
                states=np.array(path))


@program("""size n, nt
in A : f64[n, n]
in B : f64[n, nt]
loop t[nt] p : f64[n] = 1.0, l : f64 = 0.0
    let a = matmul(p, A)*B[:, t]
    let c = sum(a)
    next p = a/c
    next l = l + log(c)
end
out y : f64[n] = p
out loglik : f64 = l
""", lambda r: dict(A=r.random((4, 4)) + 0.1, B=r.random((4, 10)) + 0.1))
def hmm_forward(A, B):
    p, loglik = np.ones(4), 0.0
    for t in range(10):
        a = (p @ A) * B[:, t]
        p, loglik = a / a.sum(), loglik + np.log(a.sum())
    return dict(y=p, loglik=loglik)


@program("""size n
in P : f64[n, n]
in p0 : f64[n]
loop t[25] p = p0
    next p = matmul(p, P)
end
out y : f64[n] = p
""", lambda r: dict(P=r.dirichlet(np.ones(6), 6), p0=r.dirichlet(np.ones(6))))
def markov_chain(P, p0):
    for _ in range(25):
        p0 = p0 @ P
    return dict(y=p0)


def philox(key, *words):
    """Uniform numbers as the manual says; arrays of words broadcast."""
    m = np.uint64(0xffffffff)
    c = [np.asarray(w, np.uint64) for w in words]
    c += [np.uint64(0)] * (4 - len(c))
    k0, k1 = np.uint64(key) & m, np.uint64(key) >> np.uint64(32)
    for _ in range(10):
        a, b = np.uint64(0xd2511f53) * c[0], np.uint64(0xcd9e8d57) * c[2]
        s = np.uint64(32)
        c = [(b >> s) ^ c[1] ^ k0, b & m, (a >> s) ^ c[3] ^ k1, a & m]
        k0 = (k0 + np.uint64(0x9e3779b9)) & m
        k1 = (k1 + np.uint64(0xbb67ae85)) & m
    return ((c[1] << np.uint64(32) | c[0]) >> np.uint64(11)) * 2.0**-53


@program("""size n
in key : u64
loop t[1:21] x : i64[n] = 0, far : i64[n] = 0
    next x = x + where(random(key, t, arange(n)) < 0.5, -1, 1)
    next far = max(far, abs(next(x)))
end
out y : i64[n] = x
out reach : i64[n] = far
""", lambda r: dict(key=np.uint64(12345678901234)), n=50)
def random_walk(key):
    x, far = np.zeros(50, "i8"), np.zeros(50, "i8")
    for t in range(1, 21):
        x = x + np.where(philox(key, t, np.arange(50)) < 0.5, -1, 1)
        far = np.maximum(far, abs(x))
    return dict(y=x, reach=far)


@program("""size n, nt
assume nt >= 1
in x : f64[nt, n]
loop t[1:nt] m = x[0], v : f64[n] = 0.0
    let d = x[t] - m
    next m = m + 0.2*d
    next v = 0.8*(v + 0.2*d*d)
end
out mean : f64[n] = m
out var : f64[n] = v
""", lambda r: dict(x=normal(r, 30, 3)))
def moving_average(x):
    m, v = x[0], np.zeros(3)
    for y in x[1:]:
        d = y - m
        m, v = m + 0.2 * d, 0.8 * (v + 0.2 * d * d)
    return dict(mean=m, var=v)


@program("""size n
assume n >= 1
in L : f64[n, n]
in tol : f64
let deg = max(sum[0](L), 1.0)
loop t[200] p = full(n; value=1.0)/f64(size(n)) steps k
    next p = 0.15/f64(size(n)) + 0.85*matmul(L, p/deg)
    until sum(abs(next(p) - p)) < tol
end
out rank : f64[n] = p
out steps : i64 = k
""", lambda r: dict(L=(r.random((8, 8)) < 0.4).astype("f8"),
                    tol=np.float64(1e-6)))
def pagerank(L, tol):
    p, k, d = np.full(8, 1 / 8), 0, np.maximum(L.sum(0), 1)
    while k < 200:
        q = 0.15 / 8 + 0.85 * L @ (p / d)
        e, p, k = abs(q - p).sum(), q, k + 1
        if e < tol:
            break
    return dict(rank=p, steps=np.int64(k))


@program("""size n, m
assume n >= 2
in pot : f64[n, m]
in T : f64[m, m]
loop t[0:n-1] f : f64[n, m] = 1.0, b : f64[n, m] = 1.0
    let fm = matmul(pot*f, T)
    let bm = matmul(pot*b, transpose(T))
    map g[i:n, j:m] = where(i == 0, 1.0, fm[max(i-1, 0), j])
    map h[i:n, j:m] = where(i == n-1, 1.0, bm[min(i+1, n-1), j])
    next f = g/max[1](g)[:, None]
    next b = h/max[1](h)[:, None]
end
let p = pot*f*b
out belief : f64[n, m] = p/sum[1](p)[:, None]
""", lambda r: dict(pot=r.random((6, 3)) + 0.1, T=r.random((3, 3)) + 0.1))
def belief_propagation(pot, T):
    f, b = np.ones((6, 3)), np.ones((6, 3))
    for _ in range(5):
        g, h = np.ones((6, 3)), np.ones((6, 3))
        g[1:], h[:-1] = ((pot * f) @ T)[:-1], ((pot * b) @ T.T)[1:]
        f, b = g / g.max(1)[:, None], h / h.max(1)[:, None]
    p = pot * f * b
    return dict(belief=p / p.sum(1)[:, None])


# ---- graphs and dynamic programming ----

@program("""size n
in w : f64[n, n]
loop k[n] d = w
    map c[i:n, j:n] = min(d[i, j], d[i, k] + d[k, j])
    next d = c
end
out dist : f64[n, n] = d
""", lambda r: dict(w=np.where(r.random((9, 9)) < 0.3, r.random((9, 9)) * 9,
                               1e3) * (1 - np.eye(9))))
def floyd_warshall(w):
    for k in range(9):
        w = np.minimum(w, w[:, k, None] + w[k])
    return dict(dist=w)


@program("""size n, m
in a : i32[n]
in b : i32[m]
loop t[0:n] row = arange(m+1)
    let same = b == a[t]
    map c[j:m+1] = where(j == 0, row[0] + 1, min(row[j] + 1, row[max(j-1, 0)] + where(same[max(j-1, 0)], 0, 1)))
    scan j forward d[j:m+1] = where(j == 0, c[0], min(c[j], d[j-1] + 1))
    next row = d
end
out distance : i64 = row[m]
""", lambda r: dict(a=r.integers(0, 4, 12).astype("i4"),
                    b=r.integers(0, 4, 9).astype("i4")))
def edit_distance(a, b):
    row = list(range(10))
    for x in a:
        new = [row[0] + 1]
        for j, y in enumerate(b):
            new.append(min(row[j + 1] + 1, row[j] + (x != y), new[-1] + 1))
        row = new
    return dict(distance=np.int64(row[-1]))


@program("""size n, w
in weight : i64[n]
in value : i64[n]
loop t[n] best : i64[w+1] = 0
    map b[j:w+1] = where(j >= weight[t], max(best[j], best[max(j - weight[t], 0)] + value[t]), best[j])
    next best = b
end
out y : i64[w+1] = best
""", lambda r: dict(weight=r.integers(1, 9, 8), value=r.integers(1, 50, 8)),
    w=25)
def knapsack(weight, value):
    best = np.zeros(26, "i8")
    for w, v in zip(weight, value):
        new = best.copy()
        new[w:] = np.maximum(best[w:], best[:26 - w] + v)
        best = new
    return dict(y=best)


@program("""size n
in x : i64[n]
loop t[7] y = x, s : i64 = 1
    map p[i:n] = y[i] + where(i >= s, y[max(i-s, 0)], 0)
    next y = p
    next s = 2*s
end
out sums : i64[n] = y
""", lambda r: dict(x=r.integers(-9, 9, 100)))
def prefix_doubling(x):
    return dict(sums=np.cumsum(x))


@program("""size n
assume n >= 1
in x : f64[n]
loop t[n] y = x
    map z[i:n] = where((i + t) % 2 == 0, where(i + 1 < n, min(y[i], y[min(i+1, n-1)]), y[i]), where(i > 0, max(y[i], y[max(i-1, 0)]), y[i]))
    next y = z
end
out sorted : f64[n] = y
""", lambda r: dict(x=normal(r, 17)))
def odd_even_sort(x):
    return dict(sorted=np.sort(x))


@program("""size n
loop t[2:n] prime = arange(n) >= 2
    map p[i:n] = prime[i] && !(i % t == 0 && i > t)
    next prime = p
end
out y : bool[n] = prime
""", n=40)
def sieve():
    return dict(y=np.array([i > 1 and all(i % k for k in range(2, i))
                            for i in range(40)]))


@program("""size n
assume n >= 1
loop t[n] row = update(zeros(n; dtype=i64)[0], 1)
    stack r[t] = row
    map s[i:n] = row[i] + where(i > 0, row[max(i-1, 0)], 0)
    next row = s
end
out pascal : i64[n, n] = r
""", n=9)
def pascal_triangle():
    rows = np.zeros((9, 9), "i8")
    for i in range(9):
        rows[i, 0] = 1
        for j in range(1, i + 1):
            rows[i, j] = rows[i - 1, j] + rows[i - 1, j - 1]
    return dict(pascal=rows)


# ---- numbers ----

@program("""size n
loop t[n] a : i64 = 0, b : i64 = 1
    next a = b
    next b = a + b
    stack f[t] = a
end
out y : i64[n] = f
out last : i64 = a
""", n=30)
def fibonacci():
    f = [0, 1]
    while len(f) < 31:
        f.append(f[-1] + f[-2])
    return dict(y=np.array(f[:30]), last=np.int64(f[30]))


@program("""size n
in x0 : i64[n]
loop t[1000] x = x0, k : i64[n] = 0 steps most
    let on = x != 1
    next x = where(on, where(x % 2 == 0, x//2, 3*x + 1), x)
    next k = k + i64(on)
    until all(next(x) == 1)
end
out stops : i64[n] = k
out longest : i64 = most
""", lambda r: dict(x0=np.arange(1, 28)))
def collatz(x0):
    def length(x):
        k = 0
        while x != 1:
            x, k = x // 2 if x % 2 == 0 else 3 * x + 1, k + 1
        return k
    k = np.array([length(x) for x in x0])
    return dict(stops=k, longest=k.max())


@program("""in a : i64
in b : i64
loop t[100] x = a, y = b steps k
    next x = y
    next y = x % y
    until next(y) == 0
end
out g : i64 = x
out steps : i64 = k
""", lambda r: dict(a=np.int64(3 * 5 * 7 * 1024), b=np.int64(2**5 * 49 * 11)))
def euclid(a, b):
    k, g = 0, np.gcd(a, b)
    while True:
        a, b, k = b, a % b, k + 1
        if b == 0:
            return dict(g=g, steps=np.int64(k))


@program("""in a : u64[3, 3]
in e : i64
loop t[64] r : u64[3, 3] = eye(3; dtype=u64), p = a, n = e
    next r = where(n % 2 == 1, matmul(r, p), r)
    next p = matmul(p, p)
    next n = n//2
    until next(n) == 0
end
out y : u64[3, 3] = r
""", lambda r: dict(a=r.integers(0, 9, (3, 3)).astype("u8"), e=np.int64(77)))
def matrix_power(a, e):
    p = np.eye(3, dtype="u8")
    for _ in range(e):
        p = p @ a
    return dict(y=p)


@program("""size n, m
in c : f64[m]
in x : f64[n]
loop t[m] y : f64[n] = 0.0
    next y = y*x + c[t]
end
out p : f64[n] = y
""", lambda r: dict(c=normal(r, 7), x=normal(r, 11)))
def horner(c, x):
    return dict(p=np.polyval(c, x))


@program("""size n
in r : f64[n]
loop t[200] x : f64[n] = 0.3
    next x = r*x*(1.0 - x)
end
out y : f64[n] = x
""", lambda r: dict(r=r.uniform(1.0, 3.4, 9)))
def logistic_map(r):
    x = np.full(9, 0.3)
    for _ in range(200):
        x = r * x * (1 - x)
    return dict(y=x)


@program("""size n, m
in x : f64[n]
in y : f64[m]
map c[i:m, j:n] = c128(x[j]) + y[i]*1.0j
loop t[30] z : c128[m, n] = c128(0.0, 0.0), k : i32[m, n] = 0
    let inside = real(z)*real(z) + imag(z)*imag(z) <= 4.0
    next z = where(inside, z*z + c, z)
    next k = k + i32(inside)
end
out count : i32[m, n] = k
""", lambda r: dict(x=np.linspace(-2, 0.5, 12), y=np.linspace(-1, 1, 9)))
def mandelbrot(x, y):
    c = x + 1j * y[:, None]
    z, k = np.zeros_like(c), np.zeros(c.shape, "i4")
    for _ in range(30):
        inside = z.real**2 + z.imag**2 <= 4
        z, k = np.where(inside, z * z + c, z), k + inside.astype("i4")
    return dict(count=k)


@program("""size n
in seed : u32[n]
loop t[100] x = seed
    let a = x ^ (x << u32(13))
    let b = a ^ (a >> u32(17))
    next x = b ^ (b << u32(5))
end
out y : u32[n] = x
""", lambda r: dict(seed=r.integers(1, 2**32, 8).astype("u4")))
def xorshift(seed):
    x = seed
    for _ in range(100):
        x = x ^ (x << np.uint32(13))
        x = x ^ (x >> np.uint32(17))
        x = x ^ (x << np.uint32(5))
    return dict(y=x)


# ---- equations ----

@program("""size n
in a : f64[n]
loop t[100] x = a steps k
    next x = 0.5*(x + a/x)
    until max(abs(next(x) - x)) < 1e-12
end
out root : f64[n] = x
out few : bool = k < 20
""", lambda r: dict(a=r.uniform(0.5, 9, 6)))
def newton(a):
    return dict(root=np.sqrt(a), few=np.bool_(True))


@program("""size n
in c : f64[n]
loop t[60] lo : f64[n] = 0.0, hi : f64[n] = 4.0
    let m = 0.5*(lo + hi)
    let above = m*m*m > c
    next lo = where(above, lo, m)
    next hi = where(above, m, hi)
end
out root : f64[n] = 0.5*(lo + hi)
""", lambda r: dict(c=r.uniform(0.5, 50, 7)))
def bisection(c):
    return dict(root=np.cbrt(c))


@program("""loop t[1000] x : f64 = 1.0 steps k
    next x = cos(x)
    until abs(next(x) - x) < 1e-13
end
out y : f64 = x
out some : bool = k > 50 && k < 100
""")
def fixed_point():
    x = 1.0
    for _ in range(1000):
        x = np.cos(x)
    return dict(y=np.float64(x), some=np.bool_(True))


@program("""size n
in A : f64[n, n]
in b : f64[n]
loop t[n] x : f64[n] = 0.0
    next x = update(x[t], (b[t] - sum(A[t]*x))/A[t, t])
end
out y : f64[n] = x
""", lambda r: dict(A=np.tril(normal(r, 8, 8)) + 3 * np.eye(8),
                    b=normal(r, 8)))
def forward_substitution(A, b):
    return dict(y=np.linalg.solve(A, b))


@program("""size n
in A : f64[n, n]
loop k[n] M = A
    let f = where(arange(n) > k, M[:, k]/M[k, k], 0.0)
    map c[i:n, j:n] = where(j > k, M[i, j] - f[i]*M[k, j], where(j == k && i > k, f[i], M[i, j]))
    next M = c
end
out LU : f64[n, n] = M
""", lambda r: dict(A=normal(r, 6, 6) + 4 * np.eye(6)))
def lu(A):
    for k in range(6):
        f = A[k + 1:, k] / A[k, k]
        A[k + 1:, k + 1:] -= np.outer(f, A[k, k + 1:])
        A[k + 1:, k] = f
    return dict(LU=A)


@program("""size n
in A : f64[n, n]
loop k[n] L : f64[n, n] = 0.0
    let c = A[:, k] - matmul(L, L[k])
    let d = sqrt(c[k])
    map g[i:n, j:n] = where(j == k && i >= k, c[i]/d, L[i, j])
    next L = g
end
out y : f64[n, n] = L
""", lambda r: dict(A=(lambda m: m @ m.T + np.eye(7))(normal(r, 7, 7))))
def cholesky(A):
    return dict(y=np.linalg.cholesky(A))


@program("""size n
in A : f64[n, n]
in b : f64[n]
let r0 = b
loop t[2*n] x : f64[n] = 0.0, r = r0, p = r0, rr = sum(b*b) steps k
    let Ap = matmul(A, p)
    let a = rr/sum(p*Ap)
    next x = x + a*p
    next r = r - a*Ap
    next rr = sum(next(r)*next(r))
    next p = next(r) + next(rr)/rr*p
    until next(rr) < 1e-22
end
out y : f64[n] = x
out converged : bool = k < 2*size(n)
""", lambda r: dict(A=(lambda m: m @ m.T + 9 * np.eye(9))(normal(r, 9, 9)),
                    b=normal(r, 9)))
def conjugate_gradients(A, b):
    return dict(y=np.linalg.solve(A, b), converged=np.bool_(True))


@program("""size n
in A : f64[n, n]
in v0 : f64[n]
loop t[300] v = v0/sqrt(sum(v0*v0)), l : f64 = 0.0
    let w = matmul(A, v)
    next l = sum(v*w)
    next v = w/sqrt(sum(w*w))
    until abs(next(l) - l) < 1e-14*abs(next(l))
end
out largest : f64 = l
""", lambda r: dict(A=(lambda m: m @ m.T)(normal(r, 6, 6)), v0=np.ones(6)))
def power_iteration(A, v0):
    return dict(largest=np.linalg.eigvalsh(A)[-1])


@program("""size n, m
in A : f64[n, n]
in q0 : f64[n]
loop t[m] q = q0/sqrt(sum(q0*q0)), p : f64[n] = 0.0, b : f64 = 0.0
    let w = matmul(A, q) - b*p
    let a = sum(q*w)
    let r = w - a*q
    next b = sqrt(sum(r*r))
    next q = r/next(b)
    next p = q
    stack alpha[t] = a
    stack beta[t] = next(b)
end
out a : f64[m] = alpha
out be : f64[m] = beta
""", lambda r: dict(A=(lambda m: m + m.T)(normal(r, 12, 12)),
                    q0=normal(r, 12)), m=4)
def lanczos(A, q0):
    q, p, b = q0 / np.sqrt((q0 * q0).sum()), np.zeros(12), 0.0
    al, be = [], []
    for _ in range(4):
        w = A @ q - b * p
        a = (q * w).sum()
        r = w - a * q
        b = np.sqrt((r * r).sum())
        p, q = q, r / b
        al.append(a)
        be.append(b)
    return dict(a=np.array(al), be=np.array(be))


# ---- optimisation ----

@program("""size n, m
in X : f64[m, n]
in y : f64[m]
assume m >= 1
loop t[400] w : f64[n] = 0.0
    next w = w - 0.1*matmul(transpose(X), matmul(X, w) - y)/f64(size(m))
    stack loss[t] = mean(square(matmul(X, w) - y))
end
out fit : f64[n] = w
out first : f64 = loss[0]
""", lambda r: dict(X=normal(r, 40, 3), y=normal(r, 40)))
def gradient_descent(X, y):
    w = np.zeros(3)
    for _ in range(400):
        w = w - 0.1 * X.T @ (X @ w - y) / 40
    return dict(fit=w, first=np.mean(y * y))


@program("""size n
in c : f64[n]
loop t[1:51] x : f64[n] = 0.0, m : f64[n] = 0.0, v : f64[n] = 0.0
    let g = 4.0*(x - c)*square(x - c) + 0.5*x
    next m = 0.9*m + 0.1*g
    next v = 0.999*v + 0.001*g*g
    let mh = next(m)/(1.0 - power(0.9, f64(t)))
    let vh = next(v)/(1.0 - power(0.999, f64(t)))
    next x = x - 0.05*mh/(sqrt(vh) + 1e-8)
end
out y : f64[n] = x
""", lambda r: dict(c=normal(r, 5)))
def adam(c):
    x = m = v = np.zeros(5)
    for t in range(1, 51):
        g = 4 * (x - c) ** 3 + 0.5 * x
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        x = x - 0.05 * (m / (1 - 0.9**t)) / (
            np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return dict(y=x)


@program("""size n, k
assume n >= 1 && k >= 1
in x : f64[n, 2]
in c0 : f64[k, 2]
loop t[8] c = c0, l : i64[n] = 0
    let d = x[:, None, :] - c[None, :, :]
    let near = argmin[1](sum[2](d*d))
    map one[i:n, j:k] = f64(near[i] == j)
    let count = max(sum[0](one), 1.0)
    next c = matmul(transpose(one), x)/count[:, None]
    next l = near
end
out centre : f64[k, 2] = c
out label : i64[n] = l
""", lambda r: dict(x=normal(r, 40, 2), c0=normal(r, 3, 2)))
def kmeans(x, c0):
    c = c0
    for _ in range(8):
        near = ((x[:, None] - c) ** 2).sum(2).argmin(1)
        one = (near[:, None] == np.arange(3)).astype("f8")
        c = one.T @ x / np.maximum(one.sum(0), 1)[:, None]
    return dict(centre=c, label=near)


@program("""size n, m
in K : f64[n, m]
loop t[60] u : f64[n] = 1.0, v : f64[m] = 1.0
    next u = 1.0/matmul(K, v)
    next v = f64(size(n))/f64(size(m))/matmul(next(u), K)
end
out plan : f64[n, m] = u[:, None]*K*v
""", lambda r: dict(K=r.random((4, 6)) + 0.1))
def sinkhorn(K):
    u, v = np.ones(4), np.ones(6)
    for _ in range(60):
        u = 1 / (K @ v)
        v = 4 / 6 / (u @ K)
    return dict(plan=u[:, None] * K * v)


# ---- ordinary differential equations ----

@program("""in x0 : f64
in y0 : f64
loop t[500] x = x0, y = y0
    next x = x + 0.01*x*(1.1 - 0.4*y)
    next y = y + 0.01*y*(0.1*x - 0.4)
end
out a : f64 = x
out b : f64 = y
""", lambda r: dict(x0=np.float64(10), y0=np.float64(5)))
def euler(x0, y0):
    x, y = x0, y0
    for _ in range(500):
        x, y = x + 0.01 * x * (1.1 - 0.4 * y), y + 0.01 * y * (0.1 * x - 0.4)
    return dict(a=x, b=y)


@program("""in s0 : f64[3]
function lorenz(s : f64[3])
    let d = stack(10.0*(s[1] - s[0]), s[0]*(28.0 - s[2]) - s[1], s[0]*s[1] - 8.0/3.0*s[2])
    return d
end
loop t[100] s = s0
    let k1 = lorenz(s)
    let k2 = lorenz(s + 0.005*k1)
    let k3 = lorenz(s + 0.005*k2)
    let k4 = lorenz(s + 0.01*k3)
    next s = s + 0.01/6.0*(k1 + 2.0*k2 + 2.0*k3 + k4)
end
out y : f64[3] = s
""", lambda r: dict(s0=np.array([1.0, 1.0, 1.0])))
def rk4_lorenz(s0):
    def f(s):
        return np.array([10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1],
                         s[0] * s[1] - 8 / 3 * s[2]])
    s = s0
    for _ in range(100):
        a = f(s)
        b = f(s + 0.005 * a)
        c = f(s + 0.005 * b)
        d = f(s + 0.01 * c)
        s = s + 0.01 / 6 * (a + 2 * b + 2 * c + d)
    return dict(y=s)


@program("""size n
in x0 : f64[n, 2]
in m : f64[n]
function pull(x : f64[q, 2], m : f64[q])
    let d = x[None, :, :] - x[:, None, :]
    let r = sum[2](d*d) + 0.05
    let f = sum[1](d*(m/(r*sqrt(r)))[:, :, None])
    return f
end
loop t[20] x = x0, v : f64[n, 2] = 0.0
    let h = v + 0.005*pull(x, m)
    next x = x + 0.01*h
    next v = h + 0.005*pull(next(x), m)
end
out y : f64[n, 2] = x
out w : f64[n, 2] = v
""", lambda r: dict(x0=normal(r, 5, 2), m=r.random(5)))
def leapfrog(x0, m):
    def pull(x):
        d = x - x[:, None]
        r = (d * d).sum(2) + 0.05
        return (d * (m / (r * np.sqrt(r)))[:, :, None]).sum(1)
    x, v = x0, np.zeros((5, 2))
    for _ in range(20):
        h = v + 0.005 * pull(x)
        x = x + 0.01 * h
        v = h + 0.005 * pull(x)
    return dict(y=x, w=v)


# ---- fields ----

@program("""size n
assume n >= 3
in u0 : f64[I:n]
loop t[40] u = u0
    next u = u + concat_where(I >= 1 && I < n-1, 0.2*(u[I-1] - 2.0*u + u[I+1]), 0.0)
end
out y : f64[I:n] = u
""", lambda r: dict(u0=normal(r, 20)))
def heat_1d(u0):
    u = u0
    for _ in range(40):
        u[1:-1] += 0.2 * (u[:-2] - 2 * u[1:-1] + u[2:])
    return dict(y=u)


@program("""size n, m, nt
assume n >= 3 && m >= 3
in u0 : f64[I:n, J:m]
loop t[nt] u = u0
    let lap = u[I-1] + u[I+1] + u[J-1] + u[J+1] - 4.0*u
    next u = concat_where(I >= 1 && I < n-1 && J >= 1 && J < m-1, u + 0.1*lap, u)
end
out y : f64[I:n, J:m] = u
""", lambda r: dict(u0=normal(r, 9, 7)), nt=15)
def heat_2d(u0):
    u = u0
    for _ in range(15):
        u[1:-1, 1:-1] += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2]
                                + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
    return dict(y=u)


@program("""size n, m
assume n >= 3 && m >= 3
in u0 : f64[I:n, J:m]
in tol : f64
loop t[500] u = u0 steps k
    next u = concat_where(I >= 1 && I < n-1 && J >= 1 && J < m-1, 0.25*(u[I-1] + u[I+1] + u[J-1] + u[J+1]), u)
    until max(abs(next(u) - u)) < tol
end
out y : f64[I:n, J:m] = u
out steps : i64 = k
""", lambda r: dict(u0=normal(r, 8, 8), tol=np.float64(1e-4)))
def jacobi(u0, tol):
    u, k = u0, 0
    while k < 500:
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2]
                                + u[1:-1, 2:])
        e, u, k = abs(v - u).max(), v, k + 1
        if e < tol:
            break
    return dict(y=u, steps=np.int64(k))


@program("""size n, m
assume n >= 3 && m >= 3
in u0 : f64[I:n, J:m]
in f : f64[I:n, J:m]
function sweep(u, f, odd)
    let r = 0.25*(u[I-1; edge] + u[I+1; edge] + u[J-1; edge] + u[J+1; edge] - f) - u
    let v = where(odd, u + 1.5*r, u)
    return v
end
let odd = (index(I) + index(J)) % 2 == 1
let inside = index(I) > 0 && index(I) < n-1 && index(J) > 0 && index(J) < m-1
loop t[12] u = u0
    let a = sweep(u, f, odd && inside)
    next u = sweep(a, f, !odd && inside)
end
out y : f64[I:n, J:m] = u
""", lambda r: dict(u0=normal(r, 7, 8), f=normal(r, 7, 8)))
def red_black_sor(u0, f):
    u = u0
    for _ in range(12):
        for odd in (1, 0):
            v = u.copy()
            for i in range(1, 6):
                for j in range(1, 7):
                    if (i + j) % 2 == odd:
                        r = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1]
                                    + u[i, j + 1] - f[i, j]) - u[i, j]
                        v[i, j] = u[i, j] + 1.5 * r
            u = v
    return dict(y=u)


@program("""size n
assume n >= 2
in a : f64[I:n]
loop t[30] u = a, before = a
    next u = 2.0*u - before + 0.25*(u[I-1; wrap] - 2.0*u + u[I+1; wrap])
    next before = u
end
out y : f64[I:n] = u
""", lambda r: dict(a=normal(r, 16)))
def wave(a):
    u, p = a, a
    for _ in range(30):
        u, p = 2 * u - p + 0.25 * (np.roll(u, 1) - 2 * u
                                   + np.roll(u, -1)), u
    return dict(y=u)


@program("""size n, m
assume n >= 2 && m >= 2
in g0 : i32[I:n, J:m]
loop t[10] g = g0
    let rows = g[I-1; wrap] + g + g[I+1; wrap]
    let all = rows[J-1; wrap] + rows + rows[J+1; wrap] - g
    next g = i32(all == 3 || g == 1 && all == 2)
end
out y : i32[I:n, J:m] = g
""", lambda r: dict(g0=r.integers(0, 2, (9, 12)).astype("i4")))
def life(g0):
    g = g0
    for _ in range(10):
        n = sum(np.roll(g, (i, j), (0, 1)) for i in (-1, 0, 1)
                for j in (-1, 0, 1)) - g
        g = ((n == 3) | (g == 1) & (n == 2)).astype("i4")
    return dict(y=g)


@program("""size n
assume n >= 2
in q0 : f64[I:n]
in c : f64[I:n]
loop t[25] q = q0
    let up = max(c, 0.0)*(q - q[I-1; wrap])
    let down = min(c, 0.0)*(q[I+1; wrap] - q)
    next q = q - 0.4*(up + down)
end
out y : f64[I:n] = q
""", lambda r: dict(q0=normal(r, 15), c=r.uniform(-1, 1, 15)))
def upwind(q0, c):
    q = q0
    for _ in range(25):
        q = q - 0.4 * (np.maximum(c, 0) * (q - np.roll(q, 1))
                       + np.minimum(c, 0) * (np.roll(q, -1) - q))
    return dict(y=q)


@program("""size n
assume n >= 2
in h0 : f64[I:n]
loop t[20] h = h0, u : f64[I:n] = 0.0
    next u = u - 0.1*(h[I+1; wrap] - h[I-1; wrap])
    next h = h - 0.1*(h[I+1; wrap]*next(u)[I+1; wrap] - h[I-1; wrap]*next(u)[I-1; wrap])
    stack mass[t] = sum(next(h))
end
out y : f64[I:n] = h
out v : f64[I:n] = u
out m : f64[20] = mass
""", lambda r: dict(h0=1 + 0.1 * r.random(16)))
def shallow_water(h0):
    h, u, m = h0, np.zeros(16), []
    for _ in range(20):
        u = u - 0.1 * (np.roll(h, -1) - np.roll(h, 1))
        f = h * u
        h = h - 0.1 * (np.roll(f, -1) - np.roll(f, 1))
        m.append(h.sum())
    return dict(y=h, v=u, m=np.array(m))


@program("""size n, m
assume n >= 2 && m >= 2
in u0 : f32[I:n, J:m]
in v0 : f32[I:n, J:m]
function lap(u)
    let l = u[I-1; wrap] + u[I+1; wrap] + u[J-1; wrap] + u[J+1; wrap] - 4.0*u
    return l
end
loop t[20] u = u0, v = v0
    let uvv = u*v*v
    next u = u + 0.16*lap(u) - uvv + 0.035*(1.0 - u)
    next v = v + 0.08*lap(v) + uvv - 0.1*v
end
out a : f32[I:n, J:m] = u
out b : f32[I:n, J:m] = v
""", lambda r: dict(u0=r.random((8, 9)).astype("f4"),
                    v0=r.random((8, 9)).astype("f4")))
def gray_scott(u0, v0):
    def lap(u):
        return (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1)
                + np.roll(u, -1, 1) - np.float32(4) * u)
    u, v = u0, v0
    one = np.float32
    for _ in range(20):
        w = u * v * v
        u, v = (u + one(.16) * lap(u) - w + one(.035) * (one(1) - u),
                v + one(.08) * lap(v) + w - one(.1) * v)
    return dict(a=u, b=v)
