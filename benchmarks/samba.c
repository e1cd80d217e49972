/* SAMBA's round as a person would write it in C: the limit the lab is measured against.
   Same streams and same arithmetic as the lab, so that the regrets agree to the last bit. */
#include <stdint.h>

typedef struct { uint64_t s0, s1, s2, s3; } stream;

static inline uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline double uniform(stream *r) {
    uint64_t word = rotate(r->s0 + r->s3, 23) + r->s0, shifted = r->s1 << 17;
    r->s2 ^= r->s0;
    r->s3 ^= r->s1;
    r->s1 ^= r->s2;
    r->s0 ^= r->s3;
    r->s2 ^= shifted;
    r->s3 = rotate(r->s3, 45);
    return ((double)(word >> 12) + 0.5) * 0x1p-52;
}

/* theta > 1: no adversary. Otherwise every mean is replaced by target while p_best >= theta and the budget lasts. */
double samba(int arms, long horizon, double alpha, const double *means, const double *target, int best, double theta,
             long budget, const uint64_t *environment_words, const uint64_t *policy_words, double *p) {
    stream environment = {environment_words[0], environment_words[1], environment_words[2], environment_words[3]};
    stream policy = {policy_words[0], policy_words[1], policy_words[2], policy_words[3]};
    double regret = 0.0;
    for (int a = 0; a < arms; a++) p[a] = 1.0 / arms;
    for (long t = 0; t < horizon; t++) {
        const double *now = means;
        if (budget > 0 && p[best] >= theta) {
            now = target;
            budget--;
        }
        int leader = 0;
        for (int a = 1; a < arms; a++)
            if (p[a] > p[leader]) leader = a;
        double u = uniform(&policy), total = 0.0;
        int arm = arms - 1;
        for (int a = 0; a < arms; a++) {
            total += p[a];
            if (u < total) {
                arm = a;
                break;
            }
        }
        regret += means[best] - means[arm];
        if (uniform(&environment) < now[arm]) {
            double rate = alpha / p[arm], others = 0.0;
            if (arm == leader) {
                for (int a = 0; a < arms; a++)
                    if (a != leader) {
                        p[a] -= rate * p[a] * p[a];
                        others += p[a];
                    }
            } else {
                p[arm] += rate * p[arm] * p[arm];
                for (int a = 0; a < arms; a++)
                    if (a != leader) others += p[a];
            }
            p[leader] = 1.0 - others;
        }
    }
    return regret;
}
