# Builds the binary from the clone: docker build -t treeglot . && docker run --rm -i treeglot translate -m ...
FROM rust:1-bookworm AS build
WORKDIR /treeglot
COPY . .
RUN cargo build --release --locked -p treeglot-cli

FROM debian:bookworm-slim
COPY --from=build /treeglot/target/release/treeglot /usr/local/bin/treeglot
WORKDIR /data
EXPOSE 5000
ENTRYPOINT ["treeglot"]
