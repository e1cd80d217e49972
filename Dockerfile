# The decision service. Building it reads the package index and nothing else.
#
#   docker build -t robandit .
#
# It runs as a user without rights, on a root file system that may be read-only: data lies in /data, drafts in /tmp.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python3 -m venv /opt/robandit \
 && /opt/robandit/bin/pip install --no-cache-dir --disable-pip-version-check '.[service]' \
 && /opt/robandit/bin/pip uninstall --yes --quiet pip \
 && find /opt/robandit -type d \( -name tests -o -name include \) -prune -exec rm -r {} +

FROM ${BASE}
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin robandit \
 && install --directory --owner robandit --mode 0700 /data
COPY --from=build /opt/robandit /opt/robandit
ENV PATH=/opt/robandit/bin:$PATH PYTHONUNBUFFERED=1 ROBANDIT_CACHE=/tmp/robandit MPLCONFIGDIR=/tmp/matplotlib
USER robandit
WORKDIR /data
VOLUME /data
EXPOSE 8470
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["python3", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8470/healthz', timeout=2)"]
ENTRYPOINT ["robandit"]
CMD ["serve", "--db", "sqlite:////data/robandit.db", "--host", "0.0.0.0", "--token-file", "/data/tokens"]
