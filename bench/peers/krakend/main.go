// The KrakenD engine with its default router. Usage: krakend FILE, with a configuration in KrakenD's format.
package main

import (
	"log"
	"os"

	"github.com/gin-gonic/gin"
	"github.com/luraproject/lura/v2/config"
	"github.com/luraproject/lura/v2/logging"
	"github.com/luraproject/lura/v2/proxy"
	krakendgin "github.com/luraproject/lura/v2/router/gin"
	"github.com/luraproject/lura/v2/transport/http/server"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("krakend: expected one configuration file")
	}
	service, err := config.NewParser().Parse(os.Args[1])
	if err != nil {
		log.Fatal("krakend: ", err)
	}
	gin.SetMode(gin.ReleaseMode)
	// gin.New has no access log and no recovery from panics, unlike gin.Default.
	krakendgin.NewFactory(krakendgin.Config{
		Engine:         gin.New(),
		HandlerFactory: krakendgin.EndpointHandler,
		ProxyFactory:   proxy.DefaultFactory(logging.NoOp),
		Logger:         logging.NoOp,
		RunServer:      server.RunServer,
	}).New().Run(service)
}
